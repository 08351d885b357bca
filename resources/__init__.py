"""Read-only files: icons, themes, model catalogue, bundled help, licence texts. No code."""
