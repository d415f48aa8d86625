import type { Actor } from '#domain/actor.ts'
import { auditEventTypes, type AuditEventType } from '#domain/audit-event.ts'
import { Problem } from '#domain/problem.ts'
import type { Right } from '#policy/project-config.ts'
import type { Caller, ServiceContext, SystemContext } from './context.ts'
import { actsByRight, needsRight, type Basis } from './rights-of.ts'

/** A caller who was checked. The class is not exported: only the functions below make one. */
class CheckedCaller<A extends Actor = Actor> implements Caller {
  readonly actor: A
  readonly channel: Caller['channel']
  /** what a unit of work judges again; `null`: nothing, or the unit judges rows of its own */
  readonly basis: Basis | null
  readonly #records: readonly AuditEventType[]

  constructor(
    { actor, channel }: Caller & { readonly actor: A },
    records: readonly AuditEventType[] = auditEventTypes,
    basis: Basis | null = null,
  ) {
    this.actor = actor
    this.channel = channel
    this.basis = basis
    this.#records = records
  }

  /** Throws for an event that this authority does not permit. */
  assertRecords(type: AuditEventType): void {
    if (!this.#records.includes(type)) throw new TypeError(`This authority does not record ${type}`)
  }
}

/**
 * What a unit of work needs to start: proof that the caller was checked. The unit records its
 * events with this actor and channel.
 */
export type Authority<A extends Actor = Actor> = CheckedCaller<A>

export type PersonActor = Extract<Actor, { type: 'person' }>
/** The machine identity behind a caller. */
export type ProgramActor = Extract<Actor, { type: 'machine' }>

/** The service acts by itself as one of these. */
export type SystemCaller = Caller & {
  readonly actor: Extract<Actor, { type: 'system' | 'timer' | 'policy' }>
}

/** The service itself, for changes of its keys, its rows and the project's version. */
export const service: SystemCaller = { actor: { type: 'system' }, channel: 'system' }

/** Carries calls out, in a Temporal worker. */
export const executor: SystemCaller = {
  actor: { type: 'system', name: 'executor' },
  channel: 'workflow',
}

/** Takes turns and continues runs, in a Temporal worker. */
export const workflow: SystemCaller = { actor: { type: 'system' }, channel: 'workflow' }

/** Compares stored rows with running workflows, in the API process. */
export const reconciler: SystemCaller = {
  actor: { type: 'system', name: 'reconciler' },
  channel: 'relay',
}

/** Acts when a time is reached. */
export const timer: SystemCaller = { actor: { type: 'timer' }, channel: 'system' }

/** Events that record refusals. */
type Refusal = Extract<AuditEventType, `${string}.refused` | `${string}.rejected`>

/** By a right of the policy in force. Rejects with `forbidden`, naming the right. */
export async function byRight(
  ctx: ServiceContext,
  caller: Caller,
  right: Right,
): Promise<Authority<PersonActor>> {
  const authority = await byRightOrNull(ctx, caller, right)
  if (authority !== null) return authority
  throw needsRight(right)
}

/** The same for callers who may have another authority; `null`: they lack the right. */
export async function byRightOrNull(
  ctx: ServiceContext,
  { actor, channel }: Caller,
  right: Right,
): Promise<Authority<PersonActor> | null> {
  if (actor.type !== 'person' || !(await actsByRight(ctx, actor, right))) return null
  return new CheckedCaller({ actor, channel }, auditEventTypes, basisOf(actor, right))
}

/**
 * By an API key whose scope was checked, and a right that its owner has; `null`: they do not have
 * it, or a person calls.
 */
export async function byProgramOrNull(
  ctx: ServiceContext,
  { actor, channel }: Caller,
  right: Right,
): Promise<Authority<ProgramActor> | null> {
  if (actor.type !== 'machine' || !(await actsByRight(ctx, actor, right))) return null
  return new CheckedCaller({ actor, channel }, auditEventTypes, basisOf(actor, right))
}

/** By being one of the people or keys that own something. Throws `refusal` for everybody else. */
export function byOwner(caller: Caller, owners: readonly string[], refusal: Problem): Authority {
  const authority = byOwnerOrNull(caller, owners)
  if (authority !== null) return authority
  throw refusal
}

/** The same; `null`: the caller is none of them. */
export function byOwnerOrNull(
  caller: Caller,
  owners: readonly (string | null)[],
): Authority | null {
  const { actor } = caller
  if (actor.type !== 'person' && actor.type !== 'machine') return null
  if (!owners.includes(actor.id)) return null
  return new CheckedCaller(caller, auditEventTypes, basisOf(actor, null))
}

/**
 * By being the person whom the rules of a request, a queue or a worker permit: `eligible`, from
 * rows whose seals were checked. Throws what `refusal` makes for everybody else: an error costs as
 * much as the rest of the judgement.
 */
export function byEligibility(
  { actor, channel }: Caller,
  eligible: { readonly id: string } | null,
  refusal: () => Problem,
): Authority<PersonActor> {
  if (actor.type === 'person' && actor.id === eligible?.id)
    return new CheckedCaller({ actor, channel })
  throw refusal()
}

/**
 * For the caller's own rows, which are found by the person's id. Throws `forbidden` with the
 * sentence for keys and the service.
 */
export function bySelf(caller: Caller, sentence: string): Authority<PersonActor> {
  const { actor, channel } = caller
  if (actor.type !== 'person') throw new Problem('forbidden', sentence)
  return new CheckedCaller({ actor, channel }, auditEventTypes, basisOf(actor, null))
}

/**
 * By an API key, in the name of its owner. Throws `forbidden` for people: programs ask, consume and
 * report by themselves (product.md 19). The scope of the key was checked when it was read.
 */
export function byProgram(caller: Caller): Authority<ProgramActor> {
  const { actor, channel } = caller
  if (actor.type === 'machine') {
    return new CheckedCaller({ actor, channel }, auditEventTypes, basisOf(actor, null))
  }
  throw new Problem('forbidden', 'This is for programs: send authorization: Bearer with an API key')
}

function basisOf(actor: PersonActor | ProgramActor, right: Right | null): Basis {
  return actor.type === 'person'
    ? { personId: actor.id, keyId: null, right }
    : { personId: actor.ownerId, keyId: actor.id, right }
}

/** For the service itself: no route of the API has the context that this takes. */
export function bySystem(_ctx: Pick<SystemContext, 'system'>, as: SystemCaller): Authority {
  return new CheckedCaller(as)
}

/**
 * Before anybody is identified: the steps of signing in and of linking an account, which verify a
 * secret. It records events of sessions and credentials only.
 */
export function byVisitor(
  name: 'sign-in' | 'slack' | 'host',
  channel: Caller['channel'],
): Authority {
  const actor = { type: 'system', name } as const
  return new CheckedCaller({ actor, channel }, visitorsRecord)
}

const visitorsRecord: readonly AuditEventType[] = [
  'session.started',
  'session.ended',
  'session.refused',
  'credential.changed',
]

/** By a message with the signature of a trigger's secret: it starts a run, and nothing else. */
export function byTrigger(name: string): Authority {
  const actor = { type: 'system', name: `trigger:${name}` } as const
  return new CheckedCaller({ actor, channel: 'api' }, ['run.started', 'request.opened'])
}

/** By the time of a schedule: it starts a run, or records why it did not. */
export function bySchedule(name: string): Authority {
  const actor = { type: 'system', name: `schedule:${name}` } as const
  return new CheckedCaller({ actor, channel: 'system' }, [
    'run.started',
    'request.opened',
    'schedule.skipped',
  ])
}

/**
 * For an attempt that is judged once its rows are locked. Until `under` gets the authority from
 * that judgement, the unit can record only that the request expired, and the end of the run whose
 * start the request asked for.
 */
export function byAttempt(caller: Caller): Authority {
  return new CheckedCaller(caller, ['request.expired', 'run.cancelled'])
}

/** To record that somebody read what they may see, and nothing else. */
export function byReader(caller: Caller): Authority {
  return new CheckedCaller(caller, ['audit.exported', 'content.revealed'])
}

/** To record that somebody was refused, and nothing else. */
export function byRefusal(caller: Caller & { readonly type: Refusal }): Authority {
  return new CheckedCaller(caller, [caller.type])
}
