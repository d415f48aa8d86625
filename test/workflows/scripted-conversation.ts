import { messaged } from '#workflows/messages.ts'
import { ScriptedStore, type ScriptedRun } from './scripted-run.ts'

/** A store of a conversation: each turn answers without calls, and rests so long. */
export function conversation(restsForMs: number): ScriptedStore {
  const store = new ScriptedStore([])
  store.restsForMs = restsForMs
  return store
}

/** Posts a message, which the next turn reads. */
export async function post({ store, handle, client }: ScriptedRun): Promise<void> {
  store.messages += 1
  await client.workflow.getHandle(handle.workflowId).signal(messaged)
}
