import { ActionIcon, Tooltip } from '@mantine/core'
import { IconArrowLeft, IconChevronDown, IconChevronUp, IconLink } from '@tabler/icons-react'
import { Link, useNavigate } from 'react-router'
import type { RequestDetail } from '../../api/schemas/requests/requests.ts'
import { lastListAddress, type placeInList } from '../inbox/last-list.ts'
import { useAriaKeys } from '../keyboard/keyboard-provider.tsx'
import { copyText } from '../text/copy-text.ts'
import { Time } from '../text/time.tsx'
import { ClaimButton } from './decision/claim-button.tsx'
import { MoreTime } from './more-time.tsx'
import { Risk } from './facts/risk.tsx'

/** The line above the headline: back, place in the list, risk, state, time left, claim, link. */
export function RequestHead(props: {
  request: RequestDetail
  place: ReturnType<typeof placeInList>
}) {
  const { request, place } = props
  const navigate = useNavigate()
  const keys = {
    back: useAriaKeys('back'),
    next: useAriaKeys('next'),
    previous: useAriaKeys('previous'),
    copy: useAriaKeys('copyLink'),
  }
  return (
    <div className="request-head">
      <Link to={lastListAddress()} className="back" {...keys.back}>
        <IconArrowLeft size={16} aria-hidden /> Inbox
      </Link>
      {place.position !== null && (
        <span className="row place">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Previous request"
            disabled={place.previous === null}
            onClick={() => void navigate(`/requests/${place.previous}`)}
            {...keys.previous}
          >
            <IconChevronUp size={16} aria-hidden />
          </ActionIcon>
          <span className="dim small">
            {place.position} of {place.size}
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Next request"
            disabled={place.next === null}
            onClick={() => void navigate(`/requests/${place.next}`)}
            {...keys.next}
          >
            <IconChevronDown size={16} aria-hidden />
          </ActionIcon>
        </span>
      )}
      <Risk risk={request.risk} />
      <span className={`state-badge state-badge-${request.state}`}>{request.state}</span>
      <span className="dim small">#{request.number}</span>
      {request.state === 'pending' && (
        <span className="dim small">
          expires <Time at={request.expiresAt} />, then it counts as expired, not as approved
        </span>
      )}
      <span className="grow" />
      <MoreTime request={request} />
      <ClaimButton request={request} />
      <Tooltip label="Copy the link">
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Copy the link"
          onClick={() => void copyText(window.location.href, 'Link')}
          {...keys.copy}
        >
          <IconLink size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}
