import { effectOf } from '#tools/effects/effect-of.ts'
import { locateCues } from '../requests/opening/locate-cues.ts'
import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import { getText, putContent, putContents } from '#store/content/content.ts'
import { releaseContent } from '#store/content/drop-content.ts'
import type { Tx } from '#store/database.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { titleLine, presentStructured, titleOfCall } from '#tools/presentations/structured.ts'
import type { StoredPresentation } from '../core/host-queries.ts'
import { claimOf, type ExternalInput } from '../requests/facts/external-input.ts'
import type { ExternalJudgement } from './judge-external.ts'
import type { Origin } from '#api/schemas/requests/external.ts'
import { originDocument } from '../requests/facts/origin.ts'

/** The presentation of a program's call, and the hashes of the program's claims. */
export interface ExternalPresentation extends StoredPresentation {
  readonly claimHash: string | null
  readonly originHash: string | null
}

/** A difference made from files that the program reported. */
export type ReportedDifference = Pick<CallPresentation, 'title' | 'presentation'>

/** What is shown besides the call itself. */
export interface ReportedCall {
  readonly reported: ReportedDifference | null
  /** a person changed the call: the program's summary is about the original */
  readonly isChanged: boolean
}

interface Additions {
  readonly hashes: JsonObject
  readonly warnings: readonly string[]
}

const changedClaim = 'A person changed this call: the words of the program are about what it asked.'

/**
 * The presentation of a program's call for approvers. If the program has proved that it works in
 * the workspace, the presentation is made from the workspace's files. Otherwise it is made from
 * what the program reported, and marked as such (product.md 46). The program's own words come last;
 * the presentation contains their hash and that of their origin, so that what was seen covers both.
 */
export async function presentExternal(
  tx: Tx,
  { judgement, presented }: Pick<ExternalJudgement, 'judgement' | 'presented'>,
  call: ExternalInput,
  { reported, isChanged }: ReportedCall,
): Promise<ExternalPresentation> {
  const claim = claimOf(call)
  const { origin } = call
  const claimHash = claim === null ? null : await putContent(tx, canonicalJson(claim))
  const originHash =
    origin === undefined ? null : await putContent(tx, canonicalJson(originDocument(origin)))
  const hashes: JsonObject = {
    ...(claimHash === null ? {} : { claimHash }),
    ...(originHash === null ? {} : { originHash }),
  }
  const warnings = isChanged && claim !== null ? [changedClaim] : []
  const storedPresentation =
    presented === null
      ? await presentReport(tx, judgement, call, { reported, isChanged, hashes, warnings })
      : await withHashes(tx, presented, origin, { hashes, warnings })
  return { ...storedPresentation, claimHash, originHash }
}

/** The presentation from the workspace's files; the program may have reported others. */
async function withHashes(
  tx: Tx,
  presented: StoredPresentation,
  origin: Origin | undefined,
  { hashes, warnings }: Additions,
): Promise<StoredPresentation> {
  const built = JSON.parse(await getText(tx, presented.presentationHash)) as Presentation
  const presentation = makePresentation({
    ...built,
    metadata: { ...built.metadata, ...hashes },
    warnings: [...warnings, ...otherFiles(presented, origin), ...built.warnings],
  })
  const presentationHash = await putContent(tx, canonicalJson(presentation))
  await releaseContent(tx, [presented.presentationHash])
  return {
    ...presented,
    presentationHash,
    presentationDigest: presentation.digest,
  }
}

function otherFiles({ facts }: StoredPresentation, origin: Origin | undefined): string[] {
  const workspaceHashes = new Map(facts.bases.map(({ path, hash }) => [path, hash]))
  return (origin?.files ?? [])
    .filter(({ path, hash }) => workspaceHashes.has(path) && workspaceHashes.get(path) !== hash)
    .map(
      ({ path }) =>
        `The reported content of ${JSON.stringify(path)} differs from the file in the workspace.`,
    )
}

/** The presentation from the report alone: the call, and the difference to the reported file. */
async function presentReport(
  tx: Tx,
  { input, tool, toolHash, cues = [] }: Judgement,
  { origin, title: claimedTitle }: ExternalInput,
  { reported, isChanged, hashes, warnings: first }: ReportedCall & Additions,
): Promise<StoredPresentation> {
  const facts = { toolHash, bases: [] }
  const reporter = origin === undefined ? {} : { reportedBy: origin.host }
  const warnings = [...first, ...reportWarnings(tool, origin, reported !== null)]
  const presentation =
    reported === null
      ? presentStructured(input, { ...hashes, ...reporter }, warnings)
      : makePresentation({
          ...reported.presentation,
          metadata: { ...reported.presentation.metadata, ...hashes, ...reporter },
          warnings: [...warnings, ...reported.presentation.warnings],
        })
  const [inputHash = '', presentationHash = ''] = await putContents(tx, [
    canonicalJson(input),
    canonicalJson(presentation),
  ])
  return {
    title: titleOf(tool, input, isChanged ? undefined : claimedTitle, reported),
    effect: effectOf({
      tool,
      input,
      command: null,
      schema: null,
      title: null,
      sentence: null,
      presentation,
    }),
    cues: locateCues(cues, presentation),
    inputHash,
    facts,
    factsDigest: hashJson(facts),
    presentationHash,
    presentationDigest: presentation.digest,
    contentHash: inputHash,
    contentType: 'text/plain',
  }
}

/** A title that the program claims is quoted. */
function titleOf(
  tool: string,
  input: JsonObject,
  claimedTitle: string | undefined,
  reported: ReportedDifference | null,
): string {
  if (reported !== null) return titleLine(`${reported.title}, as reported`)
  return claimedTitle === undefined
    ? titleOfCall(tool, input)
    : titleLine(`${tool}: “${claimedTitle}”`)
}

function reportWarnings(tool: string, origin: Origin | undefined, differs: boolean): string[] {
  if (origin !== undefined) {
    const what = differs ? 'the file before and the change to it' : 'the call'
    return [
      `As reported by “${origin.host}”: ${what}. No file of this service was read to compare.`,
    ]
  }
  return isBuiltInTool(tool)
    ? [
        'This shows what the program reports. The program makes the call itself, and no file was read to compare.',
      ]
    : []
}
