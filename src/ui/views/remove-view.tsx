import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { callApi } from '../api/call-api.ts'
import { savedViewsQuery } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'

/** Removes a saved view; what it lists stays as it is. */
export function RemoveView({ id, name }: { id: string; name: string }) {
  const act = useAct(savedViewsQuery.queryKey)
  const remove = () => callApi('removeSavedView', { params: { id } })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={`Remove ${name}`}
      onClick={() => void act(remove, `Removed ${name}`)}
    >
      <IconX size={14} aria-hidden />
    </ActionIcon>
  )
}
