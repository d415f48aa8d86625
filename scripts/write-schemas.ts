import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonSchemaOf, schemaNames } from '../src/policy/schema/json-schemas.ts'

/** Writes schemas/*.json, which editors read; a test fails when they are not current. */
for (const name of schemaNames) {
  const path = join(import.meta.dirname, '..', 'schemas', `${name}.schema.json`)
  await writeFile(path, `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`)
}
