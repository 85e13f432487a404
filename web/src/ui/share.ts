import { t } from '$/i18n/language.svelte'

/** Share a link with the phone's share sheet, or copy it; return whether it was copied. */
export async function share(address: string): Promise<boolean> {
  try {
    if (navigator.share && matchMedia('(pointer: coarse)').matches) {
      await navigator.share({ title: t('title'), url: address })
      return false
    }
    await navigator.clipboard.writeText(address)
    return true
  } catch {
    return false // the visitor can still copy the link by hand
  }
}
