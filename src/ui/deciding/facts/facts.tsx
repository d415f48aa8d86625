import { Button } from '@mantine/core'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { Hash } from '../../text/hash.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { factRows, type FactRow } from './fact-rows.ts'
import { LinesView } from '../../effect/lines-view.tsx'

/** Only hashes are shortened. */
const hashText = /^sha256:[0-9a-f]{64}$/

/** All facts that the decision is bound to, and the raw input. */
export function Facts(props: {
  request: RequestDetail
  /** whether to show the raw input */
  raw: boolean
  onRaw: (raw: boolean) => void
}) {
  const { request, raw, onRaw } = props
  const keys = useAriaKeys('raw')
  return (
    <section aria-labelledby="facts-title">
      <h3 id="facts-title">Facts</h3>
      <dl className="facts">
        <Fact label="Tool" values={[request.tool]} />
        {request.workspaceRoot !== null &&
          (request.external?.worker ?? request.worker) !== null && (
            <Fact label="Workspace" values={[request.workspaceRoot]} />
          )}
        {factRows(request).map((row) => (
          <Fact key={`${row.label} ${row.values[0]}`} {...row} />
        ))}
        <Fact label="Rule" values={[request.rule.id]} />
        <Fact label="Policy version" values={[request.policyDigest]} />
        <Fact label="Digest" values={[request.digest]} />
        <Fact label="Revision" values={[String(request.revision)]} />
      </dl>
      <Button
        size="xs"
        variant="default"
        mt="sm"
        aria-expanded={raw}
        onClick={() => onRaw(!raw)}
        {...keys}
      >
        {raw ? 'Hide the raw input' : 'Show the raw input'}
      </Button>
      {raw && (
        <div className="raw">
          <LinesView text={JSON.stringify(request.input, null, 2)} showFinalNewline={false} />
        </div>
      )}
    </section>
  )
}

function Fact({ label, values, lines }: FactRow) {
  return (
    <div className="fact">
      <dt>
        <VisibleText text={label} />
      </dt>
      <dd className="mono break">
        {values.map((value) => (
          <div key={value}>
            {lines !== undefined ? (
              <LinesView
                text={value}
                showFinalNewline={false}
                {...(lines === 'diff' ? { tone: lines } : {})}
              />
            ) : hashText.test(value) ? (
              <Hash value={value} what={label} />
            ) : (
              <VisibleText text={value} />
            )}
          </div>
        ))}
      </dd>
    </div>
  )
}
