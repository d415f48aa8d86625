import type { Json } from '#domain/json/json.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { blockingRule } from '../shell/blocked-commands.ts'
import { canonicalCall, type CanonicalCall } from './calls/canonical-call.ts'
import { commandTraits } from './routing/command-traits.ts'
import { overlayOpinions } from './consent/consent.ts'
import { opinionOf, strictest, type Opinion } from './consent/opinion.ts'
import { ownQueue } from './routing/route.ts'
import { zoneOpinions } from './consent/zone-consent.ts'

/** Analysing a longer command would delay other work. */
const maxCharacters = 2000

/**
 * The rule of a version that blocks a built-in tool's call by its configuration alone, as a
 * sentence, without host, workspace and protected names. `null`: none; judging the call may still
 * block it.
 */
export async function blockedNow(
  policy: Policy,
  worker: WorkerDefinition,
  tool: Tool,
  input: Json,
): Promise<string | null> {
  if (tool.command !== undefined && JSON.stringify(input).length > maxCharacters) return null
  const canonical = await canonicalCall(tool, input, null)
  if ('error' in canonical) return null
  const { call } = canonical
  // The risk of a call depends on more than the configuration: conditions on risk match nothing
  // here.
  const overlays = policy.config.overlays.map((overlay) =>
    overlay.when.risk === null && overlay.when.cue === null
      ? overlay
      : { ...overlay, when: { ...overlay.when, worker: [] } },
  )
  const own = worker.tools.get(tool.name)?.consent ?? null
  const decisive = strictest([
    ...zoneOpinions(worker, call.accesses),
    ...(own === null ? [] : [opinionOf(own, `tool:${tool.name}`, `tool ${tool.name}`)]),
    ...overlayOpinions(overlays, {
      tool: tool.name,
      accesses: call.accesses,
      worker: worker.name,
      queue: ownQueue(policy.config, worker),
      risk: tool.risk,
      command: call.command === null ? null : commandTraits(call.command),
    }),
    ...shellOpinions(worker, call),
  ])
  return decisive?.approval === 'blocked' ? decisive.rule.text : null
}

function shellOpinions(worker: WorkerDefinition, { command }: CanonicalCall): readonly Opinion[] {
  if (command === null || worker.shell === null) return []
  const rule = blockingRule(worker.shell, command)
  if (rule === null) return []
  const pattern = rule.pattern.join(' ')
  return [opinionOf(rule.consent, `shell:${pattern}`, `shell rule "${pattern}"`)]
}
