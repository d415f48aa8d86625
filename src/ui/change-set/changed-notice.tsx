import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { requestQuery } from '../api/queries.ts'
import { ChangedWords } from '../deciding/decision/choosing/changed-words.tsx'
import { Notice } from '../states/notice.tsx'
import { verbs } from '../words/verbs.ts'
import type { PresentedRequest } from './change-entries.ts'

/** The call has another revision by now: who changed it and when, once its request is read. */
export function ChangedNotice(props: {
  newest: PresentedRequest
  /** the revision that was opened */
  revision: number
  onReview: () => void
}) {
  const { newest, revision } = props
  const { data } = useQuery({ ...requestQuery(newest.id), staleTime: 0 })
  const current = data?.revision === newest.revision ? data : { ...newest, revisions: [] }
  return (
    <Notice tone="bad" title="This changed since you opened it">
      <ChangedWords current={current} revision={revision} />{' '}
      <Button size="compact-sm" variant="default" onClick={props.onReview}>
        {verbs.showNewRevision}
      </Button>
    </Notice>
  )
}
