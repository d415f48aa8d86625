import { useDeferredValue, useEffect } from 'react'
import { IconRobot } from '@tabler/icons-react'
import { useRunInProgress } from '../live/run-in-progress.tsx'
import { ModelWords } from './model-words.tsx'

/** The largest text that is drawn, because each character of a hostile model may become a chip. */
const drawnCharacters = 16 * 1024

/**
 * The text that the model is writing. `shownTurns` is the number of turns whose stored messages are
 * on the page and replace it. `onGrowth` is called whenever more of it is on the page.
 */
export function TurnText(props: { readonly shownTurns: number; readonly onGrowth: () => void }) {
  const { onGrowth, shownTurns } = props
  // Drawn as its stored message will be, so that it does not move then. Turn and words are of one
  // moment.
  const { turn, text: words } = useDeferredValue(useRunInProgress().modelText)
  useEffect(() => {
    if (words !== '') onGrowth()
  }, [words, onGrowth])
  if (turn <= shownTurns || words === '') return null
  const hidden = Math.max(0, words.length - drawnCharacters)
  return (
    <article className="turn" aria-label="The model is writing">
      <span className="turn-icon">
        <IconRobot size={16} aria-hidden />
      </span>
      <div className="grow column turn-body">
        <p className="small">
          <strong>The model</strong> <span className="dim">turn {turn} · it is writing</span>
        </p>
        {hidden > 0 && (
          <p className="small dim">
            The first {hidden.toLocaleString('en')} characters are not shown here.
          </p>
        )}
        <div className="turn-text">
          <ModelWords text={words.slice(hidden)} />
        </div>
      </div>
    </article>
  )
}
