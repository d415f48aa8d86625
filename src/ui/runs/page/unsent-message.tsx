import { Button } from '@mantine/core'
import { useNavigate } from 'react-router'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { copyText } from '../../text/copy-text.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { useDraft } from '../../states/draft.ts'
import { verbs } from '../../words/verbs.ts'

/**
 * What somebody wrote to a run that takes no message any more, because it ended meanwhile. It can
 * be copied, or be the first message of a fork.
 */
export function UnsentMessage({ run }: { run: RunDetail }) {
  const navigate = useNavigate()
  const [text, setText] = useDraft(run.id, 'comment')
  const [, setFirstMessage] = useDraft(run.id, 'fork')
  if (text === '') return null
  const fork = (): void => {
    setFirstMessage(text)
    void navigate(`/runs/${run.id}/fork`)
  }
  return (
    <section className="card column" aria-labelledby="unsent-title">
      <h2 id="unsent-title">Your message was not sent</h2>
      <p className="dim small">
        {run.endedAt === null
          ? 'The run takes no message from you now.'
          : 'The run ended before you sent it.'}
      </p>
      <p className="break">
        <VisibleText text={text} />
      </p>
      <div className="row">
        {run.endedAt !== null && run.turns > 0 && (
          <Button size="compact-sm" variant="default" onClick={fork}>
            Fork the run with it
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => void copyText(text, 'Message')}>
          Copy it
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setText('')}>
          {verbs.remove}
        </Button>
      </div>
    </section>
  )
}
