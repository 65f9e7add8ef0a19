// Swagger UI for the description of the interface.
SwaggerUIBundle({ url: "/api/v1/openapi.json", dom_id: "#docs", deepLinking: true, validatorUrl: null });
