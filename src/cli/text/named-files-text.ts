import type { NamedFileView, RequestDetail } from '../../api/schemas/requests/requests.ts'
import { dim, yellow } from './colour.ts'
import { printableLine } from './terminal-text.ts'

const notKept: Partial<Record<NamedFileView['kind'], string>> = {
  withheld: ', reading it needs an approval of its own',
  large: ', too large to be kept',
  changed: ', changed while this was asked',
}

/** The files that a command names, and which of them this run wrote; no lines for other calls. */
export function namedFileLines({ namedFiles, runId }: RequestDetail): string[] {
  if (namedFiles.length === 0) return []
  return [
    dim('files it names, as they were when this was asked'),
    ...namedFiles.flatMap((file) => [
      `  ${printableLine(file.path)}  ${file.bytes} bytes  ${dim(file.hash)}${notKept[file.kind] ?? ''}`,
      ...(file.writtenBy === null ? [] : [yellow(`  ! ${written(file.writtenBy, runId)}`)]),
    ]),
    '',
  ]
}

function written(call: NonNullable<NamedFileView['writtenBy']>, runId: string | null): string {
  const { state, tool, turn, worker } = call
  const by = `${printableLine(tool)}, turn ${turn} of ${printableLine(worker)}`
  if (state === 'waiting') return `would be written by an earlier call of this turn: ${by}`
  const who = call.runId === runId ? 'this run' : 'another run of the same task'
  return state === 'done'
    ? `written by ${who}: ${by} (countersign runs show ${call.runId})`
    : `perhaps written by ${who}, the outcome is not known: ${by} (countersign runs show ${call.runId})`
}
