import { t } from '$/i18n/language.svelte'

/** Give a link away: by what a phone offers for it, or by the clipboard. Was it copied? */
export async function share(address: string): Promise<boolean> {
  try {
    if (navigator.share && matchMedia('(pointer: coarse)').matches) {
      await navigator.share({ title: t('title'), url: address })
      return false
    }
    await navigator.clipboard.writeText(address)
    return true
  } catch {
    return false // he can still mark and copy it himself
  }
}
