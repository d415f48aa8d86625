import { useMemo } from 'react'
import type { ExternalView } from '#api/schemas/requests/external-request.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { indentedJson } from '#domain/fields/indented-json.ts'
import { structuredFields } from '#domain/fields/structured-fields.ts'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import { gitSentence, programSentence, provedSentence } from '#domain/text/origin-words.ts'
import { Fact } from '../text/fact.tsx'
import { Moment, Time } from '../text/time.tsx'
import { FieldsView } from '../effect/fields-view.tsx'
import { LinesView } from '../effect/lines-view.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/**
 * The program that opened the request: its owner, its own description of the call, and the use of
 * the approval.
 */
export function ProgramCard({ request }: { request: RequestDetail }) {
  const { external } = request
  if (external === null) return null
  const { claim, consumed, onBehalfOf, outcome, owner, permitExpiresAt, worker } = external
  return (
    <section className="card" aria-labelledby="program-title">
      <h2 id="program-title">The program that asks</h2>
      <dl className="facts break">
        <Fact name="Key">
          <VisibleText text={external.key.name} />
        </Fact>
        <Fact name="Owner">{owner.name}, behind this request</Fact>
        {onBehalfOf !== null && <Fact name="On behalf of">{onBehalfOf.name}, behind it too</Fact>}
        <Fact name="External id">
          <VisibleText text={external.externalId} />
        </Fact>
        {worker !== null && <Fact name="Judged by the policy of">{worker}</Fact>}
        {consumed !== null && (
          <Fact name="Permit taken">
            by <VisibleText text={consumed.by.name} />, <Time at={consumed.at} />
          </Fact>
        )}
        {consumed === null && request.state === 'approved' && permitExpiresAt !== null && (
          <Fact name="Permit">
            not taken yet; until <Moment at={permitExpiresAt} />
          </Fact>
        )}
        {outcome !== null && (
          <Fact name="Outcome">
            {reportedSentence(outcome.state)} <Time at={outcome.at} />
            {outcome.summary !== null && (
              <blockquote className="statement">
                <VisibleText text={outcome.summary} />
              </blockquote>
            )}
          </Fact>
        )}
        {external.origin !== null && <OriginRows origin={external.origin} />}
        {external.metadata !== null && (
          <Fact name="Metadata">
            <LinesView text={JSON.stringify(external.metadata, null, 2)} showFinalNewline={false} />
          </Fact>
        )}
      </dl>
      {claim !== null && <Claim claim={claim} program={external.key.name} />}
    </section>
  )
}

/** The words of the request's result for the same outcome. */
function reportedSentence(state: NonNullable<ExternalView['outcome']>['state']): string | null {
  const reported = { state, reason: 'reported' }
  return executionSentence(reported, { state: 'approved', kind: 'external' })
}

/** The origin that the program reports, and whether its proof was valid. */
function OriginRows({ origin }: { origin: NonNullable<ExternalView['origin']> }) {
  const { files = [], git } = origin
  return (
    <>
      <Fact name="Program, as reported">
        <VisibleText text={programSentence(origin)} />
      </Fact>
      <Fact name="Folder, as reported">
        <VisibleText text={origin.folder} />
        <p className={origin.proved ? 'small dim' : 'small'}>{provedSentence(origin)}</p>
      </Fact>
      {git !== undefined && (
        <Fact name="Git, as reported">
          <VisibleText text={gitSentence(git)} />
        </Fact>
      )}
      {files.length > 0 && (
        <Fact name="Files, as reported">
          {files.map((file) => (
            <ReportedFile key={file.path} file={file} />
          ))}
        </Fact>
      )}
    </>
  )
}

type OriginFile = NonNullable<NonNullable<ExternalView['origin']>['files']>[number]

function ReportedFile({ file: { content, hash, path } }: { file: OriginFile }) {
  const name = (
    <>
      <VisibleText text={path} /> <span className="small dim">{hashWords(hash)}</span>
    </>
  )
  if (content === undefined) return <div>{name}</div>
  return (
    <details>
      <summary>{name}</summary>
      <LinesView text={content} showFinalNewline />
    </details>
  )
}

function hashWords(hash: string): string {
  return hash === 'absent' ? 'no such file' : hash
}

type ClaimedPresentation = NonNullable<NonNullable<ExternalView['claim']>['presentation']>

/** The program's own description: quoted, without links or markup. */
function Claim({ claim, program }: { claim: NonNullable<ExternalView['claim']>; program: string }) {
  return (
    <div className="program-words">
      <h3>In its own words</h3>
      <p className="small dim claim-label">
        What <VisibleText text={program} /> says of its call. Nobody has checked it.
      </p>
      {claim.title !== null && (
        <blockquote className="statement">
          <VisibleText text={claim.title} />
        </blockquote>
      )}
      {claim.presentation !== null && (
        <blockquote className="statement">
          <ClaimedText presentation={claim.presentation} />
        </blockquote>
      )}
    </div>
  )
}

/** What the program shows of its call: a structured text as fields, else its lines. */
function ClaimedText({ presentation: { type, content } }: { presentation: ClaimedPresentation }) {
  const fields = useMemo(() => {
    const json = type === 'structured' ? indentedJson(content) : null
    return json === null ? null : structuredFields({ type, content: json, metadata: {} })
  }, [type, content])
  if (fields === null) return <LinesView text={content} showFinalNewline={false} />
  return <FieldsView fields={fields} label="Fields in its own words" />
}
