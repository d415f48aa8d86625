import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { Link } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestQuery } from '../api/queries.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { leadTo } from '../states/lead-to.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { SecretsContext } from '../text/secret-chips.tsx'
import { Cues } from './card/cues.tsx'
import { ApprovalReasons } from './card/routing.tsx'
import { CallComments, startComment } from './comments/call-comments.tsx'
import { Quorum } from './decision/quorum.tsx'
import { Alike } from './facts/alike.tsx'
import { BeforeRestore } from './facts/before-restore.tsx'
import { NamedFiles } from './facts/named-files.tsx'
import { isWholeInTitle } from './facts/question-text.ts'
import { RequestEffect } from './facts/request-sentence.tsx'
import { Risk } from './facts/risk.tsx'
import { OpenedEffect } from './opened-effect.tsx'
import { RequestForm } from './request-form.tsx'
import { ClaimButton } from './triage/claim-button.tsx'
import { TriageState } from './triage/triage-state.tsx'
import { Snooze } from './triage/snooze.tsx'
import { useOpenedRequest } from './use-opened-request.ts'
import { verbs } from '../words/verbs.ts'
import './call-form.css'

interface CallFormProps {
  /** null: nothing else of the run waits for this person */
  readonly onNext: (() => void) | null
  readonly onClose: () => void
}

/** A request of a run, read and decided at its call; its own page has all of it. */
export function CallForm({ requestId, ...acts }: CallFormProps & { requestId: string }) {
  const request = useQuery(requestQuery(requestId))
  if (request.data !== undefined) return <OpenedCall request={request.data} {...acts} />
  if (request.isError) {
    return <Failure query={request} />
  }
  return <Loading what="the request" lines={6} />
}

function OpenedCall({ request, onNext, onClose }: CallFormProps & { request: RequestDetail }) {
  const view = useOpenedRequest(request)
  const { request: displayedRequest, secrets } = view
  const [isDecided, setDecided] = useState(false)
  const title = useRef<HTMLHeadingElement>(null)
  const toTitle = (): void => title.current?.focus()
  // Before the browser paints the form, so that the first key belongs to it.
  useLayoutEffect(toTitle, [displayedRequest.revision])
  const form = useRef<HTMLElement>(null)
  useShortcut('back', onClose)
  useShortcut('comment', () => startComment(form.current))
  const titleId = `decide-${request.number}`
  // The form of an answer is not below everything else.
  const isAnswered = request.kind === 'question'
  const place = useFormInView(isAnswered)
  const decision = (
    <div ref={place} className="call-form-decision">
      <RequestForm
        request={request}
        view={view}
        onReview={view.review}
        onRevised={view.revise}
        onRecorded={() => setDecided(true)}
        onShowComments={() => {
          view.comments.showNew()
          leadTo(form.current?.querySelector('.call-comments'))
        }}
        onNext={onNext}
        isOutcomeAbove={false}
      />
      <Quorum request={displayedRequest} />
    </div>
  )
  // A question is shown once: its title and choices may already be all of it.
  const effect = !(isAnswered && isWholeInTitle(displayedRequest)) && (
    <OpenedEffect view={view} onRevised={view.revise} />
  )
  return (
    <section ref={form} className="column call-form" aria-labelledby={titleId}>
      <div className="row spread call-form-head">
        <h2 id={titleId} ref={title} tabIndex={-1} className="grow break">
          <SecretsContext value={secrets.others}>
            <RequestEffect request={displayedRequest} />
          </SecretsContext>
        </h2>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
          {verbs.close}
        </Button>
      </div>
      {!isAnswered && <CallFacts request={request} />}
      {request.askedBeforeRestore && !isDecided && <BeforeRestore />}
      <SecretsContext value={secrets.others}>
        <Cues
          role="group"
          cues={displayedRequest.cues}
          presentation={displayedRequest.presentation}
          within={view.region}
        />
        <Alike request={request} />
      </SecretsContext>
      {effect}
      {isAnswered && decision}
      {isAnswered && <CallFacts request={request} />}
      {displayedRequest.namedFiles.length > 0 && (
        <NamedFiles key={`files ${displayedRequest.revision}`} request={displayedRequest} />
      )}
      <ApprovalReasons request={displayedRequest} />
      <CallComments
        request={{ ...request, presentation: displayedRequest.presentation }}
        comments={view.comments}
        line={null}
      />
      {!isAnswered && decision}
    </section>
  )
}

function CallFacts({ request }: { request: RequestDetail }) {
  return (
    <div className="row small">
      <Risk risk={request.risk} />
      <Link to={`/requests/${request.number}`}>All of #{request.number}</Link>
      <TriageState request={request} />
      <span className="grow" />
      {request.state === 'pending' && request.eligibility.canDecide && <Snooze request={request} />}
      <ClaimButton request={request} />
    </div>
  )
}

/** Brings the form of an answer onto the screen when it is drawn: its script is loaded for it. */
function useFormInView(isOn: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!isOn || element === null) return
    const observer = new ResizeObserver(() => {
      const fields = element.querySelector('form')
      if (fields === null) return
      fields.scrollIntoView({ block: 'nearest' })
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [isOn])
  return place
}
