import { countWords } from '#domain/text/quantities/count-words.ts'
import type { PinnedServer } from '#api/schemas/policy/policy.ts'
import { bold, dim, red, yellow } from './colour.ts'
import { quoteLines } from './quote-lines.ts'
import { printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/**
 * A line or two for each MCP server: whether its definitions were read, and whether they have
 * changed since they were pinned.
 */
export function serversText(servers: readonly PinnedServer[]): string {
  return servers
    .map(({ server, worker, state, tools, pinnedAt, problem, changes }) => {
      const name = `server    ${printableLine(server)} of ${printableLine(worker)}`
      if (state === 'waiting') return `${name}: its definitions were not read yet, so its tools ask`
      if (state === 'forged') return `${name}: ${red(printableLine(problem ?? ''))}`
      const since = pinnedAt === null ? '' : `, pinned ${fromNow(pinnedAt)}`
      const line = `${name}: ${countWords(tools.length, 'tool')}${since}`
      return changes === null
        ? line
        : `${line}\n          ${yellow(`${changes.tools.length} of them changed since, and ask: countersign policy definitions`)}`
    })
    .join('\n')
}

/** The definitions of the tools as the servers gave them, quoted, and what has changed since. */
export function definitionsText(servers: readonly PinnedServer[], columns: number | null): string {
  if (servers.length === 0) return 'No worker has an MCP server.'
  return servers
    .flatMap((server) => [serversText([server]), ...wordsOf(server, columns), ''])
    .join('\n')
}

function wordsOf({ tools, changes }: PinnedServer, columns: number | null): string[] {
  const descriptions = tools.flatMap(({ name, approval, text, warnings }) => [
    '',
    `${bold(printableLine(name))}  ${approval}  ${dim('the server says:')}`,
    ...warnings.map((warning) => yellow(printableLine(warning))),
    ...quoteLines(text, { columns, diff: false }),
  ])
  const changed = (changes?.tools ?? []).flatMap(({ name, change, diff }) => [
    '',
    yellow(`${printableLine(name)} was ${change} since:`),
    ...quoteLines(diff, { columns, diff: true }),
  ])
  return [...descriptions, ...changed]
}
