import { RepeatedWork } from '#delivery/repeated-work.ts'
import { recordSigningKey, retireSigningKeys } from '#services/keys/signing-keys.ts'
import { findRetiring, finishRetiring } from './rotate-signing-key.ts'
import type { SigningSystemContext } from '#services/core/context.ts'

/** How soon a rotation is recorded, and a compromised key void. */
const roundEveryMs = 1000
/** How often a failure that lasts is logged. */
const reportEveryMs = 60_000

/**
 * Records changes of the installation's keys in the trail while the API runs: a new signing key is
 * recorded, and a compromised one is retired once what must stay valid is signed again. The first
 * round is complete when this resolves.
 */
export async function keepKeys(
  ctx: SigningSystemContext,
  dataDir: string,
): Promise<AsyncDisposable> {
  let recordedKeyId: string | null = null
  async function round(): Promise<void> {
    const { keyId } = ctx.signer
    if (ctx.verifier.retired?.has(keyId) === true) {
      throw new Error(`the signing key ${keyId} is retired: countersign rotate-key signing`)
    }
    if (recordedKeyId !== keyId) await recordSigningKey(ctx)
    recordedKeyId = keyId
    // The present key is retired only after its successor signs: until then nothing could be signed
    // again.
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
    reportEveryMs,
    onError: (error) =>
      ctx.log.error(
        { error: String(error) },
        'a change of the signing key could not be recorded yet',
      ),
  })
}
