/**
 * The audit trail and its log. Events wait in `audit_unsequenced` until the sequencer gives each
 * the index of a leaf. Triggers refuse changes of both, even by the owner of the tables.
 */
export const audit = `
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit trail is append-only';
  end $$;

  create function leave_unsequenced() returns trigger language plpgsql as $$
  begin
    insert into audit_unsequenced (event_id) select id from added;
    return null;
  end $$;

  create table audit_event (
    id uuid primary key,
    at timestamptz not null,
    type text not null,
    actor_type text not null,
    actor_id text,
    run_id uuid,
    request_id uuid,
    call_id uuid,
    sequence integer,
    document text not null
  );
  create index audit_event_newest on audit_event (at desc, id desc);
  create index audit_event_of_actor on audit_event (actor_id, at desc, id desc);
  create index audit_event_of_run on audit_event (run_id, at desc, id desc) where run_id is not null;
  create unique index audit_event_chain on audit_event (request_id, sequence) where request_id is not null;
  create trigger audit_event_append_only before update or delete on audit_event
    for each row execute function refuse_change();
  create trigger audit_event_no_truncate before truncate on audit_event
    for each statement execute function refuse_change();
  alter table audit_event enable always trigger audit_event_append_only;
  alter table audit_event enable always trigger audit_event_no_truncate;
  create trigger audit_event_unsequenced after insert on audit_event
    referencing new table as added
    for each statement execute function leave_unsequenced();
  alter table audit_event enable always trigger audit_event_unsequenced;
  -- the trail by the kinds of actor that are rare in it
  create index audit_event_of_rare_kind on audit_event (actor_type, at desc, id desc)
    where actor_type in ('machine', 'timer', 'system');
  create index audit_event_of_type on audit_event (type, at desc nulls last, id desc nulls last);
  create index audit_event_of_people on audit_event (run_id)
    where type in ('run.started', 'run.messaged', 'decision.recorded');

  -- compact: a leaf's hash is that of its event's document until its tile is whole
  create table audit_leaf (
    index bigint primary key,
    event_id uuid not null unique
  );
  create trigger audit_leaf_append_only before update or delete on audit_leaf
    for each row execute function refuse_change();
  create trigger audit_leaf_no_truncate before truncate on audit_leaf
    for each statement execute function refuse_change();
  alter table audit_leaf enable always trigger audit_leaf_append_only;
  alter table audit_leaf enable always trigger audit_leaf_no_truncate;

  create table audit_tile (
    level smallint not null,
    index bigint not null,
    -- of the subtree that the tile is, which is a hash of the tile above
    root bytea not null,
    hashes bytea not null,
    primary key (level, index)
  );
  alter table audit_tile alter column hashes set storage external;
  create trigger audit_tile_append_only before update or delete on audit_tile
    for each row execute function refuse_change();
  create trigger audit_tile_no_truncate before truncate on audit_tile
    for each statement execute function refuse_change();
  alter table audit_tile enable always trigger audit_tile_append_only;
  alter table audit_tile enable always trigger audit_tile_no_truncate;

  create table audit_checkpoint (
    size bigint primary key,
    note text not null,
    at timestamptz not null default clock_timestamp()
  );
  create trigger audit_checkpoint_append_only before update or delete on audit_checkpoint
    for each row execute function refuse_change();
  create trigger audit_checkpoint_no_truncate before truncate on audit_checkpoint
    for each statement execute function refuse_change();
  alter table audit_checkpoint enable always trigger audit_checkpoint_append_only;
  alter table audit_checkpoint enable always trigger audit_checkpoint_no_truncate;

  create table audit_unsequenced (
    place bigint generated always as identity primary key,
    event_id uuid not null
  );

  create table audit_cosignature (
    -- of the checkpoint
    size bigint not null,
    -- name and hash of the witness's key, as the first two parts of its verifier key
    witness text not null,
    -- a signature line of the checkpoint's note
    line text not null,
    -- by the witness's clock
    cosigned_at timestamptz not null,
    at timestamptz not null default clock_timestamp(),
    primary key (size, witness)
  );
  -- the newest of a witness: readWitnesses
  create index audit_cosignature_witness on audit_cosignature (witness, size);
  create trigger audit_cosignature_append_only before update or delete on audit_cosignature
    for each row execute function refuse_change();
  create trigger audit_cosignature_no_truncate before truncate on audit_cosignature
    for each statement execute function refuse_change();
  alter table audit_cosignature enable always trigger audit_cosignature_append_only;
  alter table audit_cosignature enable always trigger audit_cosignature_no_truncate;

  create table audit_witness (
    witness text primary key,
    -- its name in the configuration
    name text not null,
    leased_until timestamptz,
    next_at timestamptz not null default clock_timestamp(),
    failures integer not null default 0,
    -- why it did not cosign when it was asked last
    problem text,
    -- it has another history of the log: since when
    contradicted_at timestamptz
  );
`
