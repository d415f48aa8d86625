import { useSchedules, useTriggers } from '../../api/queries.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'

/** Links to the schedules and triggers on pages where they are below the runs. */
export function StartLinks() {
  const schedules = useSchedules().data?.items.length ?? 0
  const triggers = useTriggers().data?.items.length ?? 0
  if (schedules + triggers === 0) return null
  return (
    <nav className="start-links" aria-label="What starts runs">
      {schedules > 0 && <a href="#schedules-title">{countWords(schedules, 'schedule')}</a>}
      {triggers > 0 && <a href="#triggers-title">{countWords(triggers, 'trigger')}</a>}
    </nav>
  )
}
