import library from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

/** The part of the library that the component uses. */
interface MermaidLibrary {
  initialize(options: { startOnLoad: boolean; theme: string; securityLevel: string }): void;
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

let library$: Promise<MermaidLibrary> | undefined;
let diagrams = 0;

/** Loads the library once, on the first page with a diagram. */
const load = (): Promise<MermaidLibrary> =>
  (library$ ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = library;
    script.onload = () => resolve((globalThis as unknown as { mermaid: MermaidLibrary }).mermaid);
    script.onerror = () => reject(new Error('the library of diagrams cannot be loaded'));
    document.head.append(script);
  }));

/** A diagram in the colors of the page. Until the library is loaded, the page shows the source. */
export const Mermaid = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const svg = ref('');
    const draw = async (): Promise<void> => {
      const mermaid = await load();
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral', securityLevel: 'strict' });
      diagrams += 1;
      svg.value = (await mermaid.render(`diagram-${diagrams}`, decodeURIComponent(props.source))).svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === ''
        ? h('pre', decodeURIComponent(props.source))
        : h('div', { class: 'diagram', innerHTML: svg.value });
  },
});
