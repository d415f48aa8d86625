import { NativeSelect, TextInput } from '@mantine/core'
import type { ScopeName } from '#api/schemas/policy/grants.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { Moment } from '../../../text/time.tsx'
import { VisibleText } from '../../../text/visible-text.tsx'

const scopeNames: Record<ScopeName, string> = {
  once: 'Once',
  run: 'For the run: same arguments',
  path: 'For the run: same file, any content',
  command: 'For the run: same command',
}

/** The scope of an approval and its limits as typed. */
export interface ScopeChoice {
  readonly scope: ScopeName
  readonly uses: string
  /** local time in the form of the browser's field; empty: no end */
  readonly until: string
}

/**
 * The possible scopes, what the chosen one covers exactly (security.md 16), and the limits of a
 * wider one.
 */
export function ScopeFields(props: {
  request: RequestDetail
  value: ScopeChoice
  onChange: (value: ScopeChoice) => void
}) {
  const { request, value, onChange } = props
  const covers = request.scopeCoverage.find(({ scope }) => scope === value.scope)?.covers ?? []
  const wider = value.scope !== 'once'
  const isOnly = request.allowedScopes.length === 1
  return (
    <>
      {!isOnly && (
        <NativeSelect
          label="Scope"
          value={value.scope}
          onChange={(event) =>
            onChange({ ...value, scope: event.currentTarget.value as ScopeName })
          }
          data={request.allowedScopes.map((scope) => ({ value: scope, label: scopeNames[scope] }))}
        />
      )}
      <div className="scope-covers small" role="status" aria-label="What this approval covers">
        {(wider || isOnly) && <p className="dim">What this approval covers:</p>}
        <ul>
          {covers.map((sentence) => (
            <li key={sentence} className="break">
              <VisibleText text={sentence} />
            </li>
          ))}
          {wider && (
            <li>
              <Bounds {...value} />
            </li>
          )}
        </ul>
      </div>
      {request.scopesNotOffered.length > 0 && (
        <ul className="small dim" aria-label="Wider scopes that are not offered">
          {request.scopesNotOffered.map(({ scope, why }) => (
            <li key={scope} className="break">
              Not offered: <code>{scope}</code>, because {why}.
            </li>
          ))}
        </ul>
      )}
      {wider && (
        <>
          <TextInput
            label="At most this many uses"
            description="Empty: as often as the run asks."
            inputMode="numeric"
            value={value.uses}
            onChange={(event) => onChange({ ...value, uses: event.currentTarget.value })}
          />
          <TextInput
            label="Until"
            description="Empty: until the root run ends. It can be revoked on the run's page at any time."
            type="datetime-local"
            value={value.until}
            onChange={(event) => onChange({ ...value, until: event.currentTarget.value })}
          />
        </>
      )}
    </>
  )
}

/** How often and until when the approval holds, as far as the typed limits are valid. */
function Bounds({ uses, until }: ScopeChoice) {
  const count = Number(uses)
  return (
    <>
      {count > 0 ? `At most ${countWords(count, 'use')}` : 'Any number of uses'}, until{' '}
      {Number.isNaN(Date.parse(until)) ? (
        'the root run ends'
      ) : (
        <>
          <Moment at={until} />, or until the root run ends
        </>
      )}
      .
    </>
  )
}
