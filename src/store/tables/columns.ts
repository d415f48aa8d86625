import type { ColumnType } from 'kysely'

/** `timestamptz`: read as Date, written as Date or an SQL expression of the database clock. */
export type Timestamp = ColumnType<Date, Date | string, Date | string>
/** The seal of a row (domain/statements/sealed-tables.ts); null: the row is refused. */
export type Seal = ColumnType<string | null, string | null | undefined, string | null>
export type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
/** `jsonb`: parsed when read, written as JSON text. Use `toJsonb` to write. */
export type Jsonb<T> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>
