import { Button } from '@mantine/core'
import type { CommentAnchor } from '#domain/requests/comment-anchor.ts'
import { verbs } from '../../words/verbs.ts'

/** Comments on lines that the person began before the page was opened, and has not sent. */
export function UnsentNotes(props: {
  anchors: readonly CommentAnchor[]
  onContinue: (anchor: CommentAnchor) => void
}) {
  return props.anchors.map((anchor) => (
    <div key={`${anchor.side} ${anchor.line} ${anchor.file}`} className="card row">
      <span className="small">
        Your comment on {anchor.side} line {anchor.line} is not sent.
      </span>
      <Button size="xs" variant="default" onClick={() => props.onContinue(anchor)}>
        {verbs.continueComment}
      </Button>
    </div>
  ))
}
