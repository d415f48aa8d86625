import { createHash } from 'node:crypto'
import { z } from 'zod'
import { countWords } from '#domain/text/quantities/count-words.ts'

/** The last two files of a backup: the list of its contents, and the hash of that. */
export const manifestName = 'manifest.json'
export const manifestHashName = 'manifest.sha256'

const name = z.string().min(1)

/**
 * The contents of a backup (docs/backup.md, The file). Every other file of the archive is listed
 * with its hash.
 */
export const manifestSchema = z.strictObject({
  format: z.literal('countersign-backup'),
  version: z.literal(1),
  madeAt: z.iso.datetime(),
  /** of the program that made it, and of its Postgres */
  program: z.string(),
  postgres: z.string(),
  migrations: z.array(name),
  tables: z.array(
    z.strictObject({
      name,
      columns: z.array(z.strictObject({ name, type: name })),
      rows: z.int().nonnegative(),
    }),
  ),
  sequences: z.array(z.strictObject({ name, last: z.string().nullable() })),
  /** whether the private keys of the data folder are in it */
  privateKeys: z.boolean(),
  files: z.array(
    z.strictObject({ path: name, bytes: z.int().nonnegative(), sha256: z.string().length(64) }),
  ),
})

export type Manifest = z.infer<typeof manifestSchema>

/** What a backup has, as words: “3 rows of 2 tables as of …”. */
export function contentsOf({ tables, madeAt }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return `${countWords(rows, 'row')} of ${countWords(tables.length, 'table')} as of ${madeAt}`
}

/** The path of a table's n-th part in the archive. */
export function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(8, '0')}.jsonl.zst`
}

/** The table of a part by its path in the archive; null: the path is not that of a part. */
export function tableOfPart(path: string): string | null {
  return /^tables\/([^/]+)\/\d{8}\.jsonl\.zst$/.exec(path)?.[1] ?? null
}

/** The hash of a file of the archive, as the manifest lists it. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
