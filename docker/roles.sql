-- The roles of the database, as the superuser; run at every start, before the migrations. psql 15 or newer.
-- ngxlab_owner owns the tables and migrates them; ngxlab_app, which the backend is, gets rows only (ngxlab-server migrate).
\set ON_ERROR_STOP on
\set QUIET on
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
SET log_min_error_statement = panic;

SELECT format('CREATE ROLE %I', role) FROM (VALUES ('ngxlab_owner'), ('ngxlab_app')) AS wanted (role)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) \gexec
ALTER ROLE ngxlab_owner LOGIN PASSWORD :'owner_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
ALTER ROLE ngxlab_app LOGIN PASSWORD :'app_password' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;

ALTER DATABASE ngxlab OWNER TO ngxlab_owner;
REVOKE ALL ON DATABASE ngxlab FROM PUBLIC;
GRANT CONNECT ON DATABASE ngxlab TO ngxlab_app;
ALTER SCHEMA public OWNER TO ngxlab_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- A volume of an older version: the superuser was the application, and owns its tables (their sequences follow them).
SELECT format('ALTER TABLE %s OWNER TO ngxlab_owner', oid::regclass)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') \gexec
