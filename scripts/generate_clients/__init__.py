"""The API's clients, generated from the OpenAPI document: TypeScript for the frontend, Python for the command line."""
