import { canonicalJson, hashJson } from '../../domain/digest.ts'
import type { Judgement } from '../../domain/judgement.ts'
import type { Presentation } from '../../domain/presentation.ts'
import { getText, putContent, putContents } from '../../store/content/content.ts'
import { releaseContent } from '../../store/content/drop-content.ts'
import type { Tx } from '../../store/database.ts'
import { makePresentation } from '../../tools/presentations/make-presentation.ts'
import { oneLine, structured, titleOfCall } from '../../tools/presentations/structured.ts'
import type { RemoteJudgement, StoredPresentation } from '../context.ts'
import type { ProgramClaim } from './external-input.ts'

/**
 * What approvers are shown of a program's call: what the service built where the tool is known, the raw arguments where
 * it is not. The program's own words come second; the presentation names their hash, so that what was seen covers them.
 */
export async function presentExternal(
  tx: Tx,
  { judgement, presented }: RemoteJudgement,
  claim: ProgramClaim | null,
): Promise<StoredPresentation & { readonly claimHash: string | null }> {
  const claimHash = claim === null ? null : await putContent(tx, canonicalJson(claim))
  const shown = presented ?? (await presentArguments(tx, judgement, claim))
  if (claimHash === null) return { ...shown, claimHash }
  const built = JSON.parse(await getText(tx, shown.presentationHash)) as Presentation
  const metadata = { ...built.metadata, claimHash }
  const presentation = makePresentation({ ...built, metadata })
  const presentationHash = await putContent(tx, canonicalJson(presentation))
  await releaseContent(tx, [shown.presentationHash])
  return { ...shown, presentationHash, presentationDigest: presentation.digest, claimHash }
}

async function presentArguments(
  tx: Tx,
  { input, tool, toolHash }: Judgement,
  claim: ProgramClaim | null,
): Promise<StoredPresentation> {
  const facts = { toolHash, bases: [] }
  const presentation = structured(input, {}, [])
  const canonical = canonicalJson(input)
  const [inputHash = '', presentationHash = ''] = await putContents(tx, [
    canonical,
    canonicalJson(presentation),
  ])
  const said = claim?.title ?? null
  return {
    // Quoted, since nobody but the program says so.
    title: said === null ? titleOfCall(tool, input) : oneLine(`${tool}: “${said}”`),
    inputHash,
    facts,
    factsDigest: hashJson(facts),
    presentationHash,
    presentationDigest: presentation.digest,
    contentHash: inputHash,
    contentType: 'text/plain',
  }
}
