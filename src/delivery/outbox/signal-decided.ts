import { decided } from '../../workflows/messages.ts'
import type { AnnouncedDecision } from '../../store/outbox.ts'
import type { TemporalClient } from '../temporal-client.ts'

/** Tells a run's workflow that decisions on these requests are there to be looked at. Rejects when it did not hear. */
export async function signalDecided(
  temporal: TemporalClient,
  { workflowId, requestIds }: Pick<AnnouncedDecision, 'workflowId' | 'requestIds'>,
): Promise<void> {
  const handle = temporal.client.workflow.getHandle(workflowId)
  await temporal.withDeadline(() => handle.signal(decided, requestIds))
}
