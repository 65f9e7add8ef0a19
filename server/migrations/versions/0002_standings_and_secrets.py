"""Standings of players, marks of games, and what one server at a time knows."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_COUNTS = {
    "recorded_games": "",
    "recorded_wins": " AND games.status = 'success'",
    "recorded_open": " AND games.status = 'ongoing'",
    "recorded_hinted": " AND games.hinted",
}


def upgrade() -> None:
    """Add the columns and count what was played; SQLite never gives a player's id again."""
    for name in ("hinted", "withheld"):
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("games", column)
    with op.batch_alter_table(
        "players",
        recreate="always" if op.get_bind().dialect.name == "sqlite" else "never",
        table_kwargs={"sqlite_autoincrement": True},
    ) as players:
        for name in _COUNTS:
            players.add_column(sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    for name, condition in _COUNTS.items():
        op.execute(
            f"UPDATE players SET {name} = (SELECT COUNT(*) FROM games "
            f"WHERE games.player_id = players.id AND games.recorded{condition})"
        )
    op.drop_index("games_by_recorded", "games")
    op.create_table(
        "server_state",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("generation", sa.String(32), nullable=False),
        sa.Column("draw_key", sa.String(64), nullable=False),
    )
