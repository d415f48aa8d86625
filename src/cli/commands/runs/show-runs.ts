import type { Run, RunDetail } from '#api/schemas/runs/runs.ts'
import { needOfRun } from '#domain/runs/need-of-run.ts'
import { starterName } from '#domain/text/starter-name.ts'
import { connect } from '../../service/connect.ts'
import { printList } from '../../service/print-list.ts'
import {
  type ServiceOptions,
  type PagingOptions,
  type JsonOptions,
} from '../../service/service-options.ts'
import { pageUrl } from '../../service/service.ts'
import { printable, printableLine } from '../../text/terminal-text.ts'
import { fromNow } from '../../text/times.ts'
import { changesLines } from '../../text/changes-text.ts'
import { restLines } from '../../text/rest-lines.ts'
import { stateLine } from '../../text/state-line.ts'
import { TranscriptPrinter } from '../../text/transcript-text.ts'
import { terminalColumns } from '../../text/wrap.ts'
import { jsonText } from '../../terminal/json-text.ts'
import { warningLines } from './started-run.ts'

interface ListOptions extends ServiceOptions, PagingOptions {
  readonly state?: string
  readonly worker?: string
}

/** Prints the runs that the caller sees, newest first. */
export function listRuns(options: ListOptions): Promise<void> {
  const { state, worker } = options
  // A terminal is narrow and shows only the number, which also names a run. Programs get the id
  // too.
  const hasId = terminalColumns() === null
  return printList<Run>(options, {
    read: (service, page) => service.call('listRuns', { query: { state, worker, ...page } }),
    columns: {
      run: (run) => `#${run.number}`,
      ...(hasId ? { id: (run: Run) => run.id } : {}),
      worker: (run) => run.worker + (run.scripted ? ' (scripted)' : ''),
      state: (run) => (run.rest === 'answered' ? 'answered' : run.state),
      task: taskOf,
      by: (run) => starterName(run.startedBy),
      age: (run) => fromNow(run.createdAt),
      waiting: (run) =>
        run.pendingRequests > 0 ? `${run.pendingRequests} to ${needOfRun(run)}` : '',
    },
    empty: 'No runs. Start one with: countersign run WORKER INPUT',
  })
}

/** Characters of a task in a list. */
const taskCharacters = 40

function taskOf({ title }: Pick<RunDetail, 'title'>): string {
  const characters = [...title]
  if (characters.length <= taskCharacters) return title
  return `${characters.slice(0, taskCharacters - 1).join('')}…`
}

interface ShowOptions extends JsonOptions {
  readonly preamble?: boolean
}

/** Prints a run: its facts, what it changed and its transcript. */
export async function showRun(id: string, options: ShowOptions): Promise<void> {
  const service = await connect(options)
  const run = await service.call('getRun', { params: { id } })
  const transcript = await service.call('getTranscript', { params: { id } })
  const changes = await service.call('listRunChanges', { params: { id } })
  const preamble =
    options.preamble === true ? await service.call('getRunPreamble', { params: { id } }) : undefined
  if (options.json === true) {
    const contents = preamble === undefined ? {} : { preamble: preamble.text }
    return console.log(jsonText({ ...run, ...contents, transcript: transcript.items, changes }))
  }
  const above = run.lineage.map((entry) => entry.worker).join(' › ')
  console.log(
    [
      `run ${run.id}  #${run.number}  ${stateLine(run)}`,
      ...restLines(run),
      ...warningLines(run),
      `${above}, mode ${run.mode}, started by ${printableLine(starterName(run.startedBy))} ${fromNow(run.createdAt)}`,
      ...worktreeLines(run.workspace),
      pageUrl(service, `/runs/${run.id}`),
      ...run.attachments.map(
        ({ path: at, bytes, given: text }) =>
          `attached ${printableLine(at)} (${bytes} bytes${text ? '' : ', the model gets only the name'})`,
      ),
      ...run.children.map(
        (child) => `started run ${child.runId} of ${printableLine(child.worker)}, ${child.state}`,
      ),
      ...changesLines(changes),
      '',
      ...(preamble === undefined ? [] : [printable(preamble.text), '']),
      ...new TranscriptPrinter(terminalColumns).next(transcript, new Map()),
    ].join('\n'),
  )
}

/**
 * The branch to which the run commits, and the commit at which it begins; nothing for a run without
 * a worktree.
 */
function worktreeLines(workspace: RunDetail['workspace']): string[] {
  const { base, baseCommit, branch, name, discardedAt, removedAt } = workspace
  if (branch === undefined) return []
  const beginsAt = `${printableLine(base ?? '')} ${(baseCommit ?? '').slice(0, 12)}`
  const removals = [
    ...(discardedAt === undefined ? [] : [`worktree discarded ${fromNow(discardedAt)}`]),
    ...(removedAt === undefined ? [] : [`worktree removed ${fromNow(removedAt)}`]),
  ]
  return [
    `branch ${printableLine(branch)} of workspace ${printableLine(name)}, begun at ${beginsAt}`,
    ...removals,
  ]
}
