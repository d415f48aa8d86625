import { callOfEvent, type HookedCall } from '#domain/hooks/call-of-event.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'
import { hasSecretsBelow } from './secrets-below.ts'

/**
 * The call of an event of an agent that works on this host. A search counts as `search_files` only
 * if it reads nothing that `search_files` leaves out.
 */
export async function callHere(event: HookEvent, root: string, agent: string): Promise<HookedCall> {
  const call = callOfEvent(event, root, agent, true)
  const { path } = call.input
  if (call.tool !== 'search_files' || typeof path !== 'string') return call
  // Policy refuses a path outside of the folder.
  if (path === '..' || path.startsWith('../') || path.startsWith('/')) return call
  return (await hasSecretsBelow(root, path)) ? callOfEvent(event, root, agent) : call
}
