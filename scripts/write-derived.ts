import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonSchemaOf, schemaNames } from '#policy/schema/json-schemas.ts'
import { tablePages, withTables } from './tables/generated-tables.ts'

/**
 * Writes the files that are generated from the source: schemas/*.json, and the tables of built-in
 * tools and of keys in docs/. Tests fail if one of them is not current.
 */
const root = join(import.meta.dirname, '..')
for (const name of schemaNames) {
  const path = join(root, 'schemas', `${name}.schema.json`)
  await writeFile(path, `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`)
}
for (const page of tablePages) {
  const path = join(root, 'docs', page)
  await writeFile(path, await withTables(page, await readFile(path, 'utf8')))
}
