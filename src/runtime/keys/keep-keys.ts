import { RepeatedWork } from '#delivery/repeating.ts'
import { noteSigningKey, retireSigningKeys } from '#services/keys/note-signing-key.ts'
import { findRetiring, finishRetiring } from './rotate-signing-key.ts'
import type { SigningSystemContext } from '#services/core/context.ts'

/** How soon a rotation is recorded, and a compromised key void. */
const roundEveryMs = 1000
/** How often a failure that lasts is logged. */
const logEveryMs = 60_000

/**
 * Keeps the trail up with the installation's keys while the API runs: a new signing key is
 * recorded, one that was marked as compromised is retired once what must go on is signed anew. The
 * first round is done when this resolves.
 */
export async function keepKeys(
  ctx: SigningSystemContext,
  dataDir: string,
): Promise<AsyncDisposable> {
  let noted: string | null = null
  let loggedAt = -Infinity
  async function round(): Promise<void> {
    const { keyId } = ctx.signer
    if (ctx.verifier.retired?.has(keyId) === true) {
      throw new Error(`the signing key ${keyId} is retired: countersign rotate-key signing`)
    }
    if (noted !== keyId) await noteSigningKey(ctx)
    noted = keyId
    // The key at work is retired only when its successor signs: until then nothing could go on.
    const marked = (await findRetiring(dataDir)).filter((id) => id !== keyId)
    const configured = [...(ctx.verifier.retired?.keys() ?? [])].filter((id) => !retired.has(id))
    const retiring = [...new Set([...marked, ...configured])]
    if (retiring.length === 0) return
    await retireSigningKeys(ctx, retiring)
    for (const id of marked) await finishRetiring(dataDir, id)
    for (const id of retiring) retired.add(id)
    ctx.log.warn(
      { keyIds: retiring },
      'signing keys were retired: their signatures no longer count',
    )
  }
  const retired = new Set<string>()
  await round()
  return new RepeatedWork({
    everyMs: roundEveryMs,
    work: round,
    onError: (error) => {
      if (performance.now() - loggedAt < logEveryMs) return
      loggedAt = performance.now()
      ctx.log.error(
        { error: String(error) },
        'a change of the signing key could not be recorded yet',
      )
    },
  })
}
