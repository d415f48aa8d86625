import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tablePages, withTables } from './generated-tables.ts'

test.each(tablePages)(
  'the tables of docs/%s are current (scripts/write-derived.ts)',
  async (page) => {
    const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', page), 'utf8')
    expect(text).toBe(await withTables(page, text))
  },
)

test('a page without a place for its table is refused', async () => {
  await expect(withTables('tools.md', '# Tools\n')).rejects.toThrow('tools.md lacks <!-- tools')
})
