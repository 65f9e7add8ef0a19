"""Players, games and guesses."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "players",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(64), unique=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("is_guest", sa.Boolean, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "player_id", sa.Integer, sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("secret", sa.String(32), nullable=False),
        sa.Column("recorded", sa.Boolean, nullable=False),
        sa.Column("max_wrong", sa.Integer, nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("resigned", sa.Boolean, nullable=False),
        sa.Column("request_key", sa.String(128)),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.CheckConstraint("status IN ('ongoing', 'success', 'failed')", name="known_status"),
        sa.UniqueConstraint("player_id", "request_key"),
        sa.Index("games_by_player", "player_id", "recorded", "status"),
        sa.Index("games_by_recorded", "recorded"),
    )
    op.create_table(
        "guesses",
        sa.Column(
            "game_id",
            sa.String(32),
            sa.ForeignKey("games.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("letter", sa.String(1), nullable=False),
        sa.Column("request_key", sa.String(128)),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.UniqueConstraint("game_id", "letter"),
    )
