import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { PolicyChangeView } from '#api/schemas/policy/changes.ts'
import { callApi } from '../api/call-api.ts'
import { policyChangesQuery, useMe } from '../api/queries.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { ServiceCommand } from '../states/command.tsx'
import { Failure } from '../states/failure.tsx'
import { useAct } from '../states/use-act.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'

/** Open proposals to pre-approve a rule. They act only when a person applies the patch. */
export function ProposedChanges() {
  const { rights } = useMe().person
  const changes = useQuery(policyChangesQuery)
  const section = useRef<HTMLElement>(null)
  const isLinked = useLocation().hash === '#changes'
  const items = changes.data?.items ?? []
  useEffect(() => {
    if (isLinked && items.length > 0) section.current?.scrollIntoView({ block: 'start' })
  }, [isLinked, items.length])
  if (changes.isLoadingError) {
    return <Failure query={changes} />
  }
  if (items.length === 0) return null
  return (
    <section ref={section} className="card column" aria-labelledby="changes-title">
      <h2 id="changes-title">Proposed changes</h2>
      <p className="dim small">
        A proposal permits nothing. To accept one, apply it in the project folder, review and commit
        the file, and activate the version.
      </p>
      {items.map((change) => (
        <Change
          key={change.number}
          change={change}
          mayActivate={rights.includes('activatePolicy')}
        />
      ))}
    </section>
  )
}

function Change({ change, mayActivate }: { change: PolicyChangeView; mayActivate: boolean }) {
  const { number, worker, rule, file, patch, evidence, proposedBy, proposedAt, mayEnd } = change
  const me = useMe()
  const act = useAct(policyChangesQuery.queryKey)
  const isOwn = proposedBy.id === me.person.id
  const end = () => act(() => callApi('withdrawPolicyChange', { params: { number } }), 'It ended')
  return (
    <article className="column proposed-change" aria-label={`Change ${number}: ${rule.id}`}>
      <h3>
        {number}. <VisibleText text={worker} />: <VisibleText text={rule.text} />
      </h3>
      <p className="small">
        Proposed by <VisibleText text={proposedBy.name} /> <Time at={proposedAt} />: approved{' '}
        {evidence.approved} of {evidence.asked} times in 30 days.{' '}
        {evidence.calls > 0 &&
          `With it, ${evidence.wouldRunAlone} of ${evidence.calls} calls would have run without approval.`}
      </p>
      <div role="group" aria-label={`Change of ${file}`}>
        <LinesView text={patch} showFinalNewline={false} tone="diff" />
      </div>
      {mayActivate && <ServiceCommand text={`policy apply ${number}`} />}
      {mayEnd && (
        <div>
          <Button size="xs" variant="default" onClick={() => void end()}>
            {isOwn ? verbs.withdraw : verbs.decline}
          </Button>
        </div>
      )}
    </article>
  )
}
