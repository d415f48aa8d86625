import type { StartPreviewView } from '#api/schemas/operation/workers.ts'
import { quorumTeams, quorumText } from '#domain/deciding/quorum.ts'
import { Problem } from '#domain/problem.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { PreviewLine } from '#policy/judge/preview/preview-line.ts'
import { workerPreview } from '#policy/judge/preview/worker-preview.ts'
import { routesOf, type PossibleRoute } from '#policy/judge/routing/possible-routes.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import {
  readReachable,
  requireReachable,
  whyBehind,
  type Reachable,
} from '../../requests/people/reach.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { assertReachable } from './reachable-approvers.ts'
import { behindStart, starterOf } from './start-run.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** A line of the preview with the queues that would be asked. */
export interface PreviewedLine extends PreviewLine {
  readonly queues: readonly string[]
}

/** A queue that a run may ask, and who could decide there, without the people behind the run. */
export type PreviewedQueue = StartPreview['queues'][number]

/** What a run would do without approval, ask, and never do, if the caller starts it now. */
export type StartPreview = RecordOf<StartPreviewView>

/** What a worker does without approval, asks (in which queues), and never does. Pure. */
export function previewedLines(policy: Policy, worker: WorkerDefinition): readonly PreviewedLine[] {
  return linesWithRoutes(policy, worker).map(({ line, routes }) => ({
    ...line,
    queues: queuesOf(routes),
  }))
}

interface RoutedLine {
  readonly line: PreviewLine
  readonly routes: readonly PossibleRoute[]
}

function linesWithRoutes(policy: Policy, worker: WorkerDefinition): readonly RoutedLine[] {
  return workerPreview(policy, worker).map((line) => ({
    line,
    routes:
      line.approval === 'ask'
        ? line.tools.flatMap((tool) => routesOf(policy.config, worker, tool, line.place ?? null))
        : [],
  }))
}

/** Previews a start by the policy in force. Writes nothing. */
export async function previewStart(
  ctx: Pick<ServiceContext, 'db' | 'seals'>,
  caller: Caller,
  policy: Policy,
  worker: WorkerDefinition,
): Promise<StartPreview> {
  const personId = personBehind(caller)
  const behind = behindStart(caller, personId)
  const lines = linesWithRoutes(policy, worker)
  const places = new Map<string, Place>()
  for (const { routes } of lines) {
    for (const route of routes) {
      if (route.queue !== null) places.set(placeName(route), route)
    }
  }
  const teams = [...places.values()].flatMap(({ quorum }) => quorumTeams(quorum))
  const people = await readReachable(ctx.db, teams)
  return {
    lines: lines.map(({ line, routes }) => ({ ...line, queues: queuesOf(routes) })),
    // By name: the order of the lines that ask differs from worker to worker.
    queues: [...places]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, place]) => previewedQueue(place, people, behind)),
    refusal: await refusalOf(async () => {
      await starterOf(ctx, worker, personId)
      await assertReachable(ctx.db, policy, worker, behind)
    }),
  }
}

type Place = Exclude<PossibleRoute, { readonly queue: null }>

function placeName({ queue, quorum }: Place): string {
  return `${queue} ${quorumText(quorum)}`
}

function queuesOf(routes: readonly PossibleRoute[]): readonly string[] {
  return [...new Set(routes.flatMap(({ queue }) => (queue === null ? [] : [queue])))]
}

function previewedQueue(
  place: Place,
  people: readonly Reachable[],
  behind: ReturnType<typeof behindStart>,
): PreviewedQueue {
  const { queue, quorum, selfApproval } = place
  const teams = quorumTeams(quorum)
  let problem: string | null = null
  try {
    requireReachable(place, people, behind)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    problem = error.message
  }
  return {
    name: queue,
    quorum: quorumText(quorum),
    people: people
      .filter((person) => person.teams.some((team) => teams.includes(team)))
      .filter((person) => selfApproval || whyBehind(person, behind) === undefined)
      .map(({ id, name }) => ({ id, name })),
    problem,
  }
}

async function refusalOf(assertion: () => Promise<void>): Promise<StartPreview['refusal']> {
  try {
    await assertion()
    return null
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { code: error.code, detail: error.message }
  }
}
