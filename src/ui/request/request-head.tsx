import { ActionIcon, Button } from '@mantine/core'
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconLink } from '@tabler/icons-react'
import { Link, useLocation, useNavigate } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestStateWord } from '#domain/text/request-state-words.ts'
import { backToList, type PlaceInList } from './last-list.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Hint } from '../floating/hint.tsx'
import { copyText } from '../text/copy-text.ts'
import { Time, TimeLeft } from '../text/time.tsx'
import { ClaimButton } from '../deciding/triage/claim-button.tsx'
import { TriageState } from '../deciding/triage/triage-state.tsx'
import { Risk } from '../deciding/facts/risk.tsx'
import { useMemo, useRef } from 'react'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { useAct, useOneAtATime } from '../states/use-act.ts'
import { useSteadyHeight } from '../states/use-steady-height.ts'
import { isOfQueue } from '../deciding/facts/is-of-queue.ts'
import { Triage } from './triage.tsx'
import { verbs } from '../words/verbs.ts'

/** The line above the headline: back, position in the list, risk, state, time left, claim, link. */
export function RequestHead(props: {
  request: RequestDetail
  place: PlaceInList
  onSnoozed: () => void
}) {
  const { request, place } = props
  const { search } = useLocation()
  const line = useRef<HTMLDivElement>(null)
  // A decision removes controls and the position in the list, in any order, and thus a second line
  // that they may have needed.
  const content = useMemo(() => [request, place.position], [request, place.position])
  const minHeight = useSteadyHeight(line, content, false)
  const [list, { state }] = backToList(search, request.number)
  const backKeys = useAriaKeys('back')
  const copyKeys = useAriaKeys('copyLink')
  return (
    <div ref={line} className="request-head" style={minHeight === null ? undefined : { minHeight }}>
      <Link to={list} state={state} className="back" {...backKeys}>
        <IconArrowLeft size={16} aria-hidden /> Inbox
      </Link>
      <Risk risk={request.risk} />
      <span className={`state-badge state-badge-${request.state}`}>
        {requestStateWord(request)}
      </span>
      <span className="dim small">#{request.number}</span>
      {request.state === 'pending' && (
        <span className="dim small">
          <span className="deadline">
            expires <Time at={request.expiresAt} />
            <span className="not-on-phone">, then it counts as expired, not as approved</span>
          </span>
          <span className="deadline-short">
            <TimeLeft at={request.expiresAt} />
          </span>
        </span>
      )}
      <TriageState request={request} />
      {place.position !== null && <Position place={place} search={search} />}
      <div className="request-acts">
        <Triage request={request} onSnoozed={props.onSnoozed} />
        <MoreTime request={request} />
        <ClaimButton request={request} />
        <Hint label={verbs.copyLink}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label={verbs.copyLink}
            onClick={() => void copyText(window.location.href, 'Link')}
            {...copyKeys}
          >
            <IconLink size={16} aria-hidden />
          </ActionIcon>
        </Hint>
      </div>
    </div>
  )
}

/** The position in the list, and the buttons to the requests beside it. */
function Position({ place, search }: { place: PlaceInList; search: string }) {
  const navigate = useNavigate()
  const previousKeys = useAriaKeys('previous')
  const nextKeys = useAriaKeys('next')
  return (
    <span className="row place">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Previous request"
        disabled={place.previous === null}
        onClick={() => void navigate(`/requests/${place.previous}${search}`)}
        {...previousKeys}
      >
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <span className="dim small">
        {place.position} of {place.size}
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={verbs.nextRequest}
        disabled={place.next === null}
        onClick={() => void navigate(`/requests/${place.next}${search}`)}
        {...nextKeys}
      >
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </span>
  )
}

const dayMs = 86_400_000

/**
 * Extends the deadline of a pending request by a day; its reminders and escalations keep their
 * times.
 */
function MoreTime({ request }: { request: RequestDetail }) {
  const me = useMe()
  // The button is not disabled meanwhile, because it would lose the focus.
  const act = useOneAtATime(useAct(['request']))
  const usable = request.state === 'pending' && isOfQueue(me, request)
  useShortcut('moreTime', usable ? () => void extend() : null)
  if (!usable) return null
  async function extend(): Promise<void> {
    const expiresAt = new Date(Date.parse(request.expiresAt) + dayMs).toISOString()
    await act(
      () => callApi('extendRequest', { params: { id: request.id }, body: { expiresAt } }),
      'The deadline is a day later',
    )
  }
  return (
    <Button size="xs" variant="default" onClick={() => void extend()}>
      {verbs.extend}
    </Button>
  )
}
