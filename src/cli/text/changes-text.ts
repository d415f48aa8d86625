import type { NetChangeKind } from '#domain/tools/file-change.ts'
import type { ChangedFileItem, RunChanges } from '#api/schemas/runs/changes.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { printableLine } from './terminal-text.ts'

const signs: Readonly<Record<NetChangeKind, string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  moved: 'R',
}

/** The files that a run changed, a line for each, and what is not known. */
export function changesLines({ items, more, total, unknown }: RunChanges): string[] {
  const unknownChanges = [
    unknown.commands > 0 ? countWords(unknown.commands, 'command') : '',
    unknown.calls > 0 ? `${countWords(unknown.calls, 'call')} of other tools` : '',
  ].filter((part) => part !== '')
  return [
    ...(total === 0 ? [] : [`changed ${countWords(total, 'file')}:`]),
    ...items.map((item) => `  ${changeLine(item)}`),
    ...(total > items.length ? [`  and ${total - items.length} more`] : []),
    ...(more > 0 ? [`${countWords(more, 'more change')} by commands, not listed`] : []),
    ...(unknownChanges.length === 0
      ? []
      : [`${unknownChanges.join(' and ')} may have changed other files`]),
  ]
}

function changeLine(item: ChangedFileItem): string {
  const { path, change, from, added, removed, calls, requests } = item
  const where = from === undefined ? path : `${from} → ${path}`
  const lines = added === null || removed === null ? '' : `  +${added} −${removed}`
  const numbers =
    requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
  return `${signs[change]} ${printableLine(where)}${lines}${numbers}${callsText(calls)}`
}

/** `by turn 2 shell, turn 1 write_file`: the newest call first. */
function callsText(calls: ChangedFileItem['calls']): string {
  const maxPrinted = 3
  const words = calls
    .slice(0, maxPrinted)
    .map(({ tool, turn }) => (turn > 0 ? `turn ${turn} ${tool}` : tool))
  const more = calls.length - words.length
  const all = more > 0 ? [...words, `${more} more`] : words
  return all.length === 0 ? '' : `  by ${printableLine(all.join(', '))}`
}
