import { maskSecrets } from '#domain/text/mask-secrets.ts'
import type { Consent } from '#policy/routing.ts'
import type { Policy } from '#policy/policy.ts'
import { toolsOf } from '#policy/judge/routing/possible-routes.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { workspacesOf } from '#policy/workspaces.ts'
import type { WorkerCallRecord } from '#services/runs/reading/list-worker-calls.ts'
import type { StartPreview } from '#services/runs/starting/preview-start.ts'
import type { Worker, WorkerCalls, WorkerDetail } from '../schemas/operation/workers.ts'
import { answerOf } from './answer-of.ts'

/** A worker; `startable` says whether a member of these teams may start it. */
export function workerView(
  policy: Policy,
  worker: WorkerDefinition,
  teams: readonly string[],
): Worker {
  return {
    name: worker.name,
    description: worker.description,
    model: worker.model,
    scripted: isScripted(worker.model),
    queue: worker.queue ?? policy.config.defaultQueue,
    startable: worker.startableBy?.some((team) => teams.includes(team)) ?? true,
    conversation: worker.conversation,
    workspaces: [...workspacesOf(worker)],
  }
}

/** Whether a script takes the place of the model. Every page that shows a run says so. */
function isScripted(model: string): boolean {
  return model.startsWith('script:')
}

/** A worker with everything that its page shows. */
export function workerDetailView(
  policy: Policy,
  worker: WorkerDefinition,
  teams: readonly string[],
  preview: StartPreview,
): WorkerDetail {
  return {
    ...workerView(policy, worker, teams),
    digest: worker.digest,
    instructions: worker.instructions,
    zones: worker.zones.map((zone) => ({
      name: zone.name,
      root: zone.root === '' ? '.' : zone.root,
      mode: zone.mode,
      suffixes: zone.suffixes === null ? null : [...zone.suffixes],
      approval: Object.fromEntries(
        Object.entries(zone.approval).map(([operation, consent]) => [
          operation,
          approvalText(consent),
        ]),
      ),
    })),
    tools: [...toolsOf(worker)],
    workers: [...worker.workers],
    sandbox: worker.shell === null ? null : answerOf(worker.sandbox),
    limits: answerOf(worker.limits),
    startableBy: answerOf(worker.startableBy),
    input: worker.input,
    preview: answerOf(preview),
  }
}

/** A past call of a worker. Its title is masked as in lists. */
export function workerCallView({ title, ...call }: WorkerCallRecord): WorkerCalls['items'][number] {
  return { ...answerOf(call), title: maskSecrets(title) }
}

function approvalText(consent: Consent): string {
  return typeof consent.approval === 'string' ? consent.approval : 'blocked'
}
