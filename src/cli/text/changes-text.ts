import type { NetChangeKind } from '#domain/tools/file-change.ts'
import type { ChangedFileItem, RunChanges } from '#api/schemas/runs/changes.ts'
import { countWords } from '#domain/text/counted.ts'
import { printableLine } from './terminal-text.ts'

const signs: Readonly<Record<NetChangeKind, string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  moved: 'R',
}

/** The files that a run changed, a line for each, and what is not known. */
export function changesLines({ items, total, unknown }: RunChanges): string[] {
  const begun = [
    unknown.commands > 0 ? countWords(unknown.commands, 'command') : '',
    unknown.calls > 0 ? `${countWords(unknown.calls, 'call')} of other tools` : '',
  ].filter((part) => part !== '')
  return [
    ...(total === 0 ? [] : [`changed ${countWords(total, 'file')}:`]),
    ...items.map((item) => `  ${changeLine(item)}`),
    ...(total > items.length ? [`  and ${total - items.length} more`] : []),
    ...(begun.length === 0 ? [] : [`${begun.join(' and ')} may have changed other files`]),
  ]
}

function changeLine({ path, change, from, added, removed, requests }: ChangedFileItem): string {
  const where = from === undefined ? path : `${from} → ${path}`
  const lines = added === null || removed === null ? '' : `  +${added} −${removed}`
  const numbers =
    requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
  return `${signs[change]} ${printableLine(where)}${lines}${numbers}`
}
