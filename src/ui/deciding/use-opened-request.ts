import { useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useSeen, type SeenTracker } from '../effect/seeing/use-seen.ts'
import type { LineComments } from '../effect/line-comments.ts'
import { announce } from '../states/announce.tsx'
import { useRequestSecrets, type PageSecrets } from '../text/secret-chips.tsx'
import { useLineComments } from './comments/use-line-comments.tsx'
import { useSteadyComments, type SteadyComments } from './comments/use-steady-comments.ts'
import { useUnsentChoice, type UnsentChoice } from './decision/choosing/use-unsent-choice.ts'
import { resultsInFile } from './editing/results-in-file.ts'

/** A request as somebody opened it, what they chose, and what of it was on their screen. */
export interface OpenedRequest {
  /** the newest state, but with the call of the opened revision */
  readonly request: RequestDetail
  /** false: the request has a newer revision by now */
  readonly isNewest: boolean
  readonly secrets: PageSecrets
  readonly unsentChoice: UnsentChoice
  readonly fullyViewed: boolean
  readonly tracker: SeenTracker
  readonly comments: SteadyComments
  readonly lineComments: LineComments
  /** the element of what will happen */
  readonly region: HTMLElement | null
  readonly setRegion: (element: HTMLElement | null) => void
  readonly setAllVisible: (isComplete: boolean) => void
  /** the person may change the call, and no newer revision is there */
  readonly isChangeable: boolean
  /** "Approve with changes" is chosen, and its editor is open */
  readonly isEditing: boolean
  /** the editor is that of one file */
  readonly editsFile: boolean
  readonly review: () => void
  /** it was changed on this page, and the result is decided as shown */
  readonly revise: (fresh: RequestDetail) => void
}

/**
 * Opens a request where it is read and decided. `request` is the newest; what is shown stays the
 * revision that was opened until the person moves on.
 */
export function useOpenedRequest(request: RequestDetail): OpenedRequest {
  const [openedRequest, setOpenedRequest] = useState(request)
  const [allVisible, setAllVisible] = useState(false)
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const isNewest =
    openedRequest.revision === request.revision && openedRequest.digest === request.digest
  const displayedRequest = isNewest ? request : openedRequest
  const secrets = useRequestSecrets(displayedRequest.id, displayedRequest.revision)
  const complete = allVisible && !displayedRequest.presentation.truncated && secrets.allRevealed
  const unsentChoice = useUnsentChoice()
  const { fullyViewed, tracker } = useSeen(region, displayedRequest.presentation.digest, complete)
  const comments = useSteadyComments(request.comments)
  const lineComments = useLineComments(
    { ...request, comments: comments.visible },
    isNewest,
    displayedRequest.revision,
  )
  const isOpen = request.state === 'pending' && request.eligibility.canDecide
  const isChangeable =
    isOpen && isNewest && request.edits !== 'off' && request.allowedDecisions.includes('approve')
  const editsFile = unsentChoice.choice === 'edit' && isOpen && resultsInFile(displayedRequest)
  const isEditing = editsFile || (unsentChoice.choice === 'edit' && isChangeable)
  const revise = (fresh: RequestDetail): void => {
    unsentChoice.setChoice(null)
    setOpenedRequest(fresh)
    announce(`Revision ${fresh.revision}: it is decided as shown.`)
  }
  const review = (): void => {
    // The new revision is read before it is changed, too; and the first press of a key was about
    // the earlier one.
    unsentChoice.setChoice(unsentChoice.choice === 'edit' ? null : unsentChoice.choice)
    setOpenedRequest(request)
  }
  return {
    request: displayedRequest,
    isNewest,
    secrets,
    unsentChoice,
    fullyViewed,
    tracker,
    comments,
    lineComments,
    region,
    setRegion,
    setAllVisible,
    isChangeable,
    isEditing,
    editsFile,
    review,
    revise,
  }
}
