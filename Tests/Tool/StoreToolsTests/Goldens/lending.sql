-- The tables of the schema coredata, distributed by “Library”, for Citus or a similar server.
-- Nothing in modelc reads or writes them: stores have other tables.
-- “Book.isbn” is unique within each “Library” only.
-- The database does not keep “Library.name” unique: a node knows only its own tenants.

CREATE SCHEMA IF NOT EXISTS "coredata";
-- “Book”: on the node of “Book.library”
CREATE SEQUENCE "coredata"."Book_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Book" (
    "_tenant" bigint NOT NULL,
    "_pk" bigint DEFAULT nextval('"coredata"."Book_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "added" double precision,
    "isbn" text COLLATE "C",
    "scale" integer,
    "genre" bigint,
    "library" bigint NOT NULL,
    "library_order" bigint,
    "prequel" bigint,
    "prequel_entity" integer,
    "sequel" bigint,
    "sequel_entity" integer,
    "Person_favorites" bigint,
    PRIMARY KEY ("_tenant", "_pk")
);
ALTER SEQUENCE "coredata"."Book_keys" OWNED BY "coredata"."Book"."_pk";
COMMENT ON COLUMN "coredata"."Book"."added" IS 'seconds since 2001-01-01 00:00:00 UTC; to_timestamp(value + 978307200)';
-- “Genre”: every node has all rows
CREATE SEQUENCE "coredata"."Genre_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Genre" (
    "_pk" bigint DEFAULT nextval('"coredata"."Genre_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "name" text COLLATE "C",
    PRIMARY KEY ("_pk")
);
ALTER SEQUENCE "coredata"."Genre_keys" OWNED BY "coredata"."Genre"."_pk";
-- “Library”: the tenants, each on one node
CREATE SEQUENCE "coredata"."Library_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Library" (
    "_tenant" bigint NOT NULL,
    "_pk" bigint DEFAULT nextval('"coredata"."Library_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "name" text COLLATE "C",
    "director" bigint,
    PRIMARY KEY ("_tenant", "_pk")
);
ALTER SEQUENCE "coredata"."Library_keys" OWNED BY "coredata"."Library"."_pk";
-- “Loan”: on the node of “Loan.book”
CREATE SEQUENCE "coredata"."Loan_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Loan" (
    "_tenant" bigint NOT NULL,
    "_pk" bigint DEFAULT nextval('"coredata"."Loan_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "due" double precision,
    "book" bigint NOT NULL,
    "book_entity" integer,
    "person" bigint,
    PRIMARY KEY ("_tenant", "_pk")
);
ALTER SEQUENCE "coredata"."Loan_keys" OWNED BY "coredata"."Loan"."_pk";
COMMENT ON COLUMN "coredata"."Loan"."due" IS 'seconds since 2001-01-01 00:00:00 UTC; to_timestamp(value + 978307200)';
-- “Person”: on the node of “Person.library”
CREATE SEQUENCE "coredata"."Person_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Person" (
    "_tenant" bigint NOT NULL,
    "_pk" bigint DEFAULT nextval('"coredata"."Person_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "name" text COLLATE "C",
    "directs" bigint,
    "library" bigint NOT NULL,
    PRIMARY KEY ("_tenant", "_pk")
);
ALTER SEQUENCE "coredata"."Person_keys" OWNED BY "coredata"."Person"."_pk";
-- “Subject”: every node has all rows
CREATE SEQUENCE "coredata"."Subject_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Subject" (
    "_pk" bigint DEFAULT nextval('"coredata"."Subject_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "name" text COLLATE "C",
    PRIMARY KEY ("_pk")
);
ALTER SEQUENCE "coredata"."Subject_keys" OWNED BY "coredata"."Subject"."_pk";
-- “Tag”: on the node of “Tag.library”
CREATE SEQUENCE "coredata"."Tag_keys" AS bigint INCREMENT BY 64;
CREATE TABLE "coredata"."Tag" (
    "_tenant" bigint NOT NULL,
    "_pk" bigint DEFAULT nextval('"coredata"."Tag_keys"') NOT NULL,
    "_entity" integer NOT NULL,
    "_version" bigint NOT NULL,
    "name" text COLLATE "C",
    "library" bigint NOT NULL,
    PRIMARY KEY ("_tenant", "_pk")
);
ALTER SEQUENCE "coredata"."Tag_keys" OWNED BY "coredata"."Tag"."_pk";
-- “Book_subjects”: on the node of the objects that it relates
CREATE TABLE "coredata"."Book_subjects" (
    "_tenant" bigint NOT NULL,
    "_owner" bigint NOT NULL,
    "_member" bigint NOT NULL,
    PRIMARY KEY ("_tenant", "_owner", "_member")
);
-- “Book_tags”: on the node of the objects that it relates
CREATE TABLE "coredata"."Book_tags" (
    "_tenant" bigint NOT NULL,
    "_owner" bigint NOT NULL,
    "_member" bigint NOT NULL,
    PRIMARY KEY ("_tenant", "_owner", "_member")
);
-- the numbers and names of the entities, on every node
CREATE TABLE "coredata"."_entities" (
    "number" integer PRIMARY KEY,
    "name" text NOT NULL,
    "parent" integer,
    "table_name" text NOT NULL,
    "version_hash" text NOT NULL
);
INSERT INTO "coredata"."_entities" VALUES (1, 'Book', NULL, 'Book', 'daafdc3cdb4b5fabab8fbc16dfbfab56b9ca3bde500b37b39b13862ac246044e');
INSERT INTO "coredata"."_entities" VALUES (2, 'Atlas', 1, 'Book', '87352288a85a88e08c405cd3aaa7e6c9ca60bbac87936915c63fbac7ca8f7a2f');
INSERT INTO "coredata"."_entities" VALUES (3, 'Genre', NULL, 'Genre', 'a2b6949a17238d16bcda7d979fae41ac07e5098edadcc58fdb14b8e648b09940');
INSERT INTO "coredata"."_entities" VALUES (4, 'Library', NULL, 'Library', 'b4eceef546bc9d2167f59b253f7e559cf6529357c965ad0f7b9b4849bc7bfd49');
INSERT INTO "coredata"."_entities" VALUES (5, 'Loan', NULL, 'Loan', 'c9670eb0167ac58e40cafdf1f327ef86dbd3125256587df3c0abeee966d55d6f');
INSERT INTO "coredata"."_entities" VALUES (6, 'Person', NULL, 'Person', 'ffdb62ca7ba1ff51e7abdbd675c37277736153a24233cf7c712ae3e2014626a0');
INSERT INTO "coredata"."_entities" VALUES (7, 'Subject', NULL, 'Subject', '5b1bc5287f0157fe63b55630dec6f6a717bf2a3bcbd4e4c0e183d03e73160f3d');
INSERT INTO "coredata"."_entities" VALUES (8, 'Tag', NULL, 'Tag', 'd689b9f50100b074301f7dc9f07c1038bcab40e08511a8d15b2887b4d0e65565');
-- spreads the tables over the nodes, if the server is Citus
DO $code$ BEGIN
IF EXISTS (SELECT FROM pg_proc WHERE proname = 'create_distributed_table') THEN
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    PERFORM create_reference_table('"coredata"."_entities"');
    PERFORM create_reference_table('"coredata"."Genre"');
    PERFORM create_reference_table('"coredata"."Subject"');
    PERFORM create_distributed_table('"coredata"."Library"', '_tenant', colocate_with => 'none');
    PERFORM create_distributed_table('"coredata"."Book"', '_tenant', colocate_with => '"coredata"."Library"');
    PERFORM create_distributed_table('"coredata"."Loan"', '_tenant', colocate_with => '"coredata"."Library"');
    PERFORM create_distributed_table('"coredata"."Person"', '_tenant', colocate_with => '"coredata"."Library"');
    PERFORM create_distributed_table('"coredata"."Tag"', '_tenant', colocate_with => '"coredata"."Library"');
    PERFORM create_distributed_table('"coredata"."Book_subjects"', '_tenant', colocate_with => '"coredata"."Library"');
    PERFORM create_distributed_table('"coredata"."Book_tags"', '_tenant', colocate_with => '"coredata"."Library"');
END IF;
END $code$;
-- a tenant's row is on the tenant's node
ALTER TABLE "coredata"."Library" ADD CONSTRAINT "Library_tenant_check" CHECK ("_tenant" = "_pk");
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_isbn_key" UNIQUE ("_tenant", "isbn") DEFERRABLE INITIALLY DEFERRED;
-- refers to a table on every node
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_genre_fkey" FOREIGN KEY ("genre") REFERENCES "coredata"."Genre" ("_pk") DEFERRABLE INITIALLY DEFERRED;
-- both rows belong to the same tenant
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_library_fkey" FOREIGN KEY ("_tenant", "library") REFERENCES "coredata"."Library" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_prequel_fkey" FOREIGN KEY ("_tenant", "prequel") REFERENCES "coredata"."Book" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_sequel_fkey" FOREIGN KEY ("_tenant", "sequel") REFERENCES "coredata"."Book" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Book" ADD CONSTRAINT "Book_Person_favorites_fkey" FOREIGN KEY ("_tenant", "Person_favorites") REFERENCES "coredata"."Person" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Genre" ADD CONSTRAINT "Genre_name_key" UNIQUE ("name") DEFERRABLE INITIALLY DEFERRED;
-- both rows belong to the same tenant
ALTER TABLE "coredata"."Library" ADD CONSTRAINT "Library_director_fkey" FOREIGN KEY ("_tenant", "director") REFERENCES "coredata"."Person" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Loan" ADD CONSTRAINT "Loan_book_fkey" FOREIGN KEY ("_tenant", "book") REFERENCES "coredata"."Book" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Loan" ADD CONSTRAINT "Loan_person_fkey" FOREIGN KEY ("_tenant", "person") REFERENCES "coredata"."Person" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Person" ADD CONSTRAINT "Person_directs_fkey" FOREIGN KEY ("_tenant", "directs") REFERENCES "coredata"."Library" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Person" ADD CONSTRAINT "Person_library_fkey" FOREIGN KEY ("_tenant", "library") REFERENCES "coredata"."Library" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Tag" ADD CONSTRAINT "Tag_library_name_key" UNIQUE ("_tenant", "library", "name") DEFERRABLE INITIALLY DEFERRED;
-- both rows belong to the same tenant
ALTER TABLE "coredata"."Tag" ADD CONSTRAINT "Tag_library_fkey" FOREIGN KEY ("_tenant", "library") REFERENCES "coredata"."Library" ("_tenant", "_pk") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Book_subjects" ADD CONSTRAINT "Book_subjects_owner_fkey" FOREIGN KEY ("_tenant", "_owner") REFERENCES "coredata"."Book" ("_tenant", "_pk") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
-- refers to a table on every node
ALTER TABLE "coredata"."Book_subjects" ADD CONSTRAINT "Book_subjects_member_fkey" FOREIGN KEY ("_member") REFERENCES "coredata"."Subject" ("_pk") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
-- both rows belong to the same tenant
ALTER TABLE "coredata"."Book_tags" ADD CONSTRAINT "Book_tags_owner_fkey" FOREIGN KEY ("_tenant", "_owner") REFERENCES "coredata"."Book" ("_tenant", "_pk") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "coredata"."Book_tags" ADD CONSTRAINT "Book_tags_member_fkey" FOREIGN KEY ("_tenant", "_member") REFERENCES "coredata"."Tag" ("_tenant", "_pk") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX "Book_entity_idx" ON "coredata"."Book" ("_entity" ASC NULLS FIRST);
CREATE INDEX "Book_genre_idx" ON "coredata"."Book" ("genre" ASC NULLS FIRST);
CREATE INDEX "Book_library_idx" ON "coredata"."Book" ("library" ASC NULLS FIRST);
CREATE INDEX "Book_prequel_idx" ON "coredata"."Book" ("prequel" ASC NULLS FIRST);
CREATE INDEX "Book_sequel_idx" ON "coredata"."Book" ("sequel" ASC NULLS FIRST);
CREATE INDEX "Library_director_idx" ON "coredata"."Library" ("director" ASC NULLS FIRST);
CREATE INDEX "Loan_book_idx" ON "coredata"."Loan" ("book" ASC NULLS FIRST);
CREATE INDEX "Loan_person_idx" ON "coredata"."Loan" ("person" ASC NULLS FIRST);
CREATE INDEX "Person_directs_idx" ON "coredata"."Person" ("directs" ASC NULLS FIRST);
CREATE INDEX "Person_library_idx" ON "coredata"."Person" ("library" ASC NULLS FIRST);
CREATE INDEX "Tag_library_idx" ON "coredata"."Tag" ("library" ASC NULLS FIRST);
CREATE INDEX "Book_subjects_member_idx" ON "coredata"."Book_subjects" ("_member" ASC NULLS FIRST, "_owner" ASC NULLS FIRST);
CREATE INDEX "Book_tags_member_idx" ON "coredata"."Book_tags" ("_member" ASC NULLS FIRST, "_owner" ASC NULLS FIRST);
CREATE INDEX "Book_Person_favorites_idx" ON "coredata"."Book" ("Person_favorites" ASC NULLS FIRST);
CREATE INDEX "Book_byAdded" ON "coredata"."Book" ("added" ASC NULLS FIRST);
