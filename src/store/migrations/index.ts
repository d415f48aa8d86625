import type { Migration } from 'kysely/migration'
import * as initial from './20261121T000000Z-initial.ts'

/** Every migration in order; the name is the key Kysely remembers. */
export const migrations: Record<string, Migration> = {
  '20261121T000000Z-initial': initial,
}
