import { agentRows } from './agent-table.ts'
import { keyRows } from './key-table.ts'
import { measuredRows, otherMeasuredRows } from './measured-hooks.ts'
import { toolRows } from './tool-table.ts'

/**
 * Each table of the documentation that follows from the source: its page in docs/, its name there,
 * and its lines.
 */
const tables = [
  { page: 'clients.md', name: 'agents', rows: agentRows },
  { page: 'clients.md', name: 'measured', rows: measuredRows },
  { page: 'clients.md', name: 'measured of others', rows: otherMeasuredRows },
  { page: 'tools.md', name: 'tools', rows: toolRows },
  { page: 'configuration.md', name: 'countersign.yaml', rows: () => keyRows('countersign') },
  { page: 'configuration.md', name: 'worker', rows: () => keyRows('worker') },
] as const

/** The pages that have such a table. */
export const tablePages: readonly string[] = [...new Set(tables.map(({ page }) => page))]

/** Returns the page with its tables up to date. Rejects if it has no place for one. */
export async function withTables(page: string, text: string): Promise<string> {
  let written = text
  for (const table of tables) {
    if (table.page !== page) continue
    const begin = `<!-- ${table.name}: made by scripts/write-derived.ts -->\n`
    const end = `<!-- end of ${table.name} -->\n`
    const [before = '', rest] = written.split(begin)
    const after = rest?.split(end)[1]
    if (after === undefined) throw new Error(`${page} lacks ${begin.trim()} or ${end.trim()}`)
    const rows = (await table.rows()).map((cells) => `| ${cells.join(' | ')} |\n`)
    const rule = `|${'---|'.repeat(rows[0]?.match(/ \|/g)?.length ?? 0)}\n`
    written = [before, begin, rows[0], rule, ...rows.slice(1), end, after].join('')
  }
  return written
}
