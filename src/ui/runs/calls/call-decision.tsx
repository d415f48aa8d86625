import { Button } from '@mantine/core'
import { use } from 'react'
import { Link } from 'react-router'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { useMe, useRun } from '../../api/queries.ts'
import { useAriaKeys } from '../../keyboard/keyboard-provider.tsx'
import { later } from '../../states/later.tsx'
import { Loading } from '../../states/loading.tsx'
import { OutcomeCheckLink } from '../../deciding/facts/outcome-check-link.tsx'
import { OpenCallContext } from './open-call.tsx'

/** Loaded when a person opens it to decide. If it cannot be loaded, a link takes its place. */
const CallForm = later(
  () =>
    import('../../deciding/call-form.tsx').then(
      (module) => module.CallForm,
      () => NotLoaded,
    ),
  () => <Loading what="the form" lines={6} />,
)

function NotLoaded({ requestId }: { requestId: string }) {
  return (
    <p className="small">
      The form did not load. <Link to={`/requests/${requestId}`}>Open the request</Link>
    </p>
  )
}

/** Whether the form of this request is the open one. */
export function useIsOpen(requestId: string | undefined): boolean {
  const calls = use(OpenCallContext)
  return requestId !== undefined && calls?.requestId === requestId
}

/** A pending call's link for people who may decide it, and their names for others. */
export function CallDecider({ call, runId }: { call: TranscriptCall; runId: string }) {
  const { person } = useMe()
  const run = useRun(runId)
  const request = run.data?.waitsFor.find(({ requestId }) => requestId === call.requestId)
  if (request === undefined) return null
  const { number, people } = request
  const verb = call.tool === 'ask_person' ? 'Answer' : 'Decide'
  if (people.some(({ id }) => id === person.id)) {
    return <DecideButton request={request} verb={verb} />
  }
  const can = `can ${verb.toLowerCase()} it`
  const names = people.map(({ name }) => name).join(', ')
  const isOwn = run.data?.startedBy?.id === person.id
  return (
    <span className="small dim">
      #{number} · {names === '' ? 'nobody' : names} {can}
      {isOwn && names !== '' && '. You started the run.'}
    </span>
  )
}

/** A link to the outcome check of a call whose outcome is unknown. */
export function CheckLink({ requestId, runId }: { requestId: string; runId: string }) {
  const { person } = useMe()
  const run = useRun(runId)
  const check = run.data?.waitsFor.find((one) => one.requestId === requestId)
  const isOwn = check?.people.some(({ id }) => id === person.id) === true
  return (
    <span className="small">
      <OutcomeCheckLink id={requestId} maySettle={isOwn} />
    </span>
  )
}

/** Opens the form of a request in its run; a link to its page where no form can be. */
export function DecideButton(props: {
  request: { requestId: string; number: number }
  verb: 'Answer' | 'Decide'
}) {
  const { requestId, number } = props.request
  const calls = use(OpenCallContext)
  const keys = useAriaKeys('approve')
  const isOpen = useIsOpen(requestId)
  const words = `${props.verb} #${number}`
  if (calls === null) {
    return (
      <Link className="decide-button" to={`/requests/${number}`}>
        {words}
      </Link>
    )
  }
  return (
    <Button
      id={`decide-call-${requestId}`}
      size="compact-sm"
      aria-expanded={isOpen}
      variant={isOpen ? 'default' : 'filled'}
      onClick={() => calls.open(isOpen ? null : requestId)}
      {...(calls.next === requestId ? keys : {})}
    >
      {words}
    </Button>
  )
}

/**
 * The form of what is open, with the focus on what it does. `placeId`: the element that has the
 * focus afterwards if nothing opens the form any more.
 */
export function CallDecision({ placeId, requestId }: { placeId: string; requestId: string }) {
  const calls = use(OpenCallContext)
  if (calls === null) return null
  const { next, open } = calls
  const close = (): void => {
    const button = document.getElementById(`decide-call-${requestId}`)
    const place = button ?? document.getElementById(placeId)
    place?.focus()
    open(null)
  }
  return (
    <CallForm
      key={requestId}
      requestId={requestId}
      onNext={next === null ? null : () => open(next)}
      onClose={close}
    />
  )
}
