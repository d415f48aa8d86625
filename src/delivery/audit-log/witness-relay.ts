import { keyLabel, parseVerifierKey } from '#evidence/note/note-key.ts'
import type { Policy } from '#policy/policy.ts'
import type { WitnessSetting } from '#policy/settings.ts'
import type { Log, PolicyReader } from '#services/core/context.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import { readNewestCheckpoint } from '#store/audit/audit-log.ts'
import {
  forgetOtherWitnesses,
  leaseWitness,
  readCosignedSize,
  releaseWitness,
  writeCosignature,
} from '#store/audit/witnesses.ts'
import type { Db } from '#store/database.ts'
import { RepeatedWork, warnWith } from '../repeated-work.ts'
import { askWitness, type WitnessCall, type WitnessOutcome } from './ask-witness.ts'

/** Times of the relay; tests have shorter ones. */
export interface WitnessTimes {
  /** the least pause between two requests to a witness */
  readonly everyMs: number
  readonly timeoutMs: number
  /** longer than both requests of one round */
  readonly leaseMs: number
  /** after the first failure, doubled with each further one up to the second */
  readonly pauseMs: readonly [first: number, longest: number]
}

const usualTimes: WitnessTimes = {
  everyMs: 5000,
  timeoutMs: 10_000,
  leaseMs: 60_000,
  pauseMs: [5000, 5 * 60_000],
}

/** How many times longer the pause is while the version in force has no witness. */
const withoutWitnesses = 6

export interface WitnessRelayOptions {
  readonly db: Db
  readonly log: Log
  readonly policies: PolicyReader
  readonly isDevelopment: boolean
  readonly times?: WitnessTimes
}

/**
 * Asks each witness of the policy in force to cosign the newest checkpoint. Every API process has
 * one; a lease lets one of them at a time ask a witness. A witness that is slow or down delays
 * nobody. When it is back, the newest checkpoint covers those that it missed.
 */
export class WitnessRelay implements AsyncDisposable {
  readonly #options: WitnessRelayOptions
  readonly #times: WitnessTimes
  readonly #stopping = new AbortController()
  readonly #asking = new Map<string, Promise<void>>()
  readonly #rounds: RepeatedWork
  #version: string | null = null
  #hasWitnesses = true

  constructor(options: WitnessRelayOptions) {
    this.#options = options
    this.#times = options.times ?? usualTimes
    this.#rounds = new RepeatedWork({
      everyMs: () => this.#times.everyMs * (this.#hasWitnesses ? 1 : withoutWitnesses),
      work: () => this.#round(),
      onError: warnWith(options.log, 'a round over the witnesses failed; it is repeated'),
    })
  }

  async #round(): Promise<void> {
    const { db, log, policies } = this.#options
    const policy = await policies.inForce()
    const witnesses = policy.config.audit.witnesses.map(parseWitness)
    this.#hasWitnesses = witnesses.length > 0
    if (policy.digest !== this.#version) {
      await forgetOtherWitnesses(
        db,
        witnesses.map(({ id }) => id),
      )
      this.#version = policy.digest
    }
    for (const witness of witnesses) {
      if (this.#asking.has(witness.id)) continue
      const asking = this.#ask(policy, witness)
        .catch((error: unknown) => {
          log.warn(
            { witness: witness.name, error: errorText(error) },
            'a witness could not be asked; it is asked again',
          )
        })
        .finally(() => this.#asking.delete(witness.id))
      this.#asking.set(witness.id, asking)
    }
  }

  async #ask(policy: Policy, { id, name, url, key }: OpenedWitness): Promise<void> {
    const { db, isDevelopment } = this.#options
    const { everyMs, timeoutMs, leaseMs, pauseMs: pauses } = this.#times
    const newest = await readNewestCheckpoint(db)
    if (newest === null || newest.size === (await readCosignedSize(db, id))) return
    const maxAheadMs = Math.max(everyMs, leaseMs, ...pauses)
    const lease = await leaseWitness(db, { id, name }, { leaseMs, maxAheadMs })
    if (lease === null) return
    // Read again under the lease: the process that held it before may have made progress.
    const [checkpoint, from] = [await readNewestCheckpoint(db), await readCosignedSize(db, id)]
    if (checkpoint === null || checkpoint.size === from) {
      await releaseWitness(db, id, { pauseMs: everyMs, problem: null, isContradicted: false })
      return
    }
    const rules = { allow: policy.config.webhooks.allow, isDevelopment }
    const call: WitnessCall = { url, key, rules, timeoutMs, stopping: this.#stopping.signal }
    // For a size above the log's, ask from 0: the witness then names its own size.
    const outcome = await askWitness(db, checkpoint, from > checkpoint.size ? 0 : from, call)
    if (outcome.state === 'cosigned') {
      const { line, cosignedAt } = outcome
      await writeCosignature(db, { size: checkpoint.size, id, line, cosignedAt })
    } else this.#logProblem(name, outcome, lease.failures)
    await releaseWitness(db, id, {
      pauseMs: this.#pauseMs(outcome, lease.failures),
      problem: outcome.state === 'cosigned' ? null : outcome.problem,
      isContradicted: outcome.state === 'contradicted',
    })
  }

  /** Logs the first failure in a row only, but a contradicted history every time. */
  #logProblem(
    witness: string,
    outcome: Exclude<WitnessOutcome, { state: 'cosigned' }>,
    failures: number,
  ) {
    const { log } = this.#options
    const { state, problem } = outcome
    if (this.#stopping.signal.aborted) return
    if (state === 'contradicted') {
      log.error({ witness, problem }, 'a witness has another history of the audit log')
    } else if (failures === 0) log.warn({ witness, problem }, 'a witness did not cosign')
  }

  /** Half of the pause is random, so that processes that failed together do not retry together. */
  #pauseMs({ state }: WitnessOutcome, failures: number): number {
    const { everyMs, pauseMs } = this.#times
    if (state === 'cosigned') return everyMs
    const [first, longest] = pauseMs
    return Math.min(longest, first * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#rounds[Symbol.asyncDispose]()
    await Promise.all(this.#asking.values())
  }
}

type OpenedWitness = ReturnType<typeof parseWitness>

function parseWitness({ name, url, vkey }: WitnessSetting) {
  const key = parseVerifierKey(vkey)
  return { id: keyLabel(key), name, url, key }
}
