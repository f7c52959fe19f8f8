(* Error function, normal laws and expectations, for exported proofs that speak of chance. *)
Require Export Attn.
Require Import FunctionalExtensionality.
Open Scope R_scope.

(* The error function and the normal distribution function, by their integrals ------------------- *)

Lemma continuous_bell c x : continuity_pt (fun t => exp (- (c * t ^ 2))) x.
Proof.
  apply derivable_continuous_pt. exists (exp (- (c * x ^ 2)) * - (0 * x ^ 2 + c * (2 * x ^ 1 * 1))).
  apply (slope_exp (fun t => - (c * t ^ 2))). apply (slope_neg (fun t => c * t ^ 2)).
  apply (slope_mul (fun _ => c) (fun t => t ^ 2)); [apply slope_const|].
  apply (slope_power (fun t => t) x x 1 1 2); [simpl; ring|apply slope_id].
Qed.
Definition bell_integrable c x : Riemann_integrable (fun t => exp (- (c * t ^ 2))) 0 x :=
  match Rle_dec 0 x with
  | left h => continuity_implies_RiemannInt h (fun t _ => continuous_bell c t)
  | right h => RiemannInt_P1 (continuity_implies_RiemannInt (Rlt_le _ _ (Rnot_le_lt _ _ h)) (fun t _ => continuous_bell c t))
  end.
Definition bell c x : R := RiemannInt (bell_integrable c x).
Definition erf x : R := 2 / sqrt PI * bell 1 x.
Definition Phi x : R := 1 / 2 + 1 / sqrt (2 * PI) * bell (1 / 2) x.

Lemma bell_zero c : bell c 0 = 0. Proof. apply RiemannInt_P9. Qed.
Lemma bell_slope c x : derivable_pt_lim (bell c) x (exp (- (c * x ^ 2))).
Proof.
  assert (h : x - 1 <= x + 1) by lra.
  assert (C : forall t, x - 1 <= t <= x + 1 -> continuity_pt (fun t => exp (- (c * t ^ 2))) t) by (intros; apply continuous_bell).
  assert (i : x - 1 <= x <= x + 1) by lra.
  pose proof (RiemannInt_P28 h C i) as k. 
  assert (e : forall y, x - 1 < y < x + 1 -> bell c y = bell c (x - 1) + primitive h (FTC_P1 h C) y).
  { intros y [p q]. unfold primitive, bell. destruct (Rle_dec (x - 1) y) as [a|a]; [|exfalso; lra].
    destruct (Rle_dec y (x + 1)) as [b|b]; [|exfalso; lra]. symmetry. apply RiemannInt_P26. }
  intros eps p. destruct (k eps p) as [d m].
  assert (q : 0 < Rmin d (1 / 2)) by (apply Rmin_pos; [apply cond_pos|lra]).
  exists (mkposreal _ q). intros g z l. simpl in l.
  assert (l1 : Rabs g < d) by (pose proof (Rmin_l d (1 / 2)); lra).
  assert (l2 : Rabs g < 1 / 2) by (pose proof (Rmin_r d (1 / 2)); lra).
  apply Rabs_def2 in l2. rewrite (e (x + g)), (e x) by lra.
  replace (bell c (x - 1) + primitive h (FTC_P1 h C) (x + g) - (bell c (x - 1) + primitive h (FTC_P1 h C) x))
    with (primitive h (FTC_P1 h C) (x + g) - primitive h (FTC_P1 h C) x) by ring.
  apply m; assumption.
Qed.
Lemma erf_zero : erf 0 = 0. Proof. unfold erf. rewrite bell_zero. ring. Qed.
Lemma erf_slope x : derivable_pt_lim erf x (2 / sqrt PI * exp (- x ^ 2)).
Proof.
  replace (2 / sqrt PI * exp (- x ^ 2)) with (2 / sqrt PI * exp (- (1 * x ^ 2))) by (do 2 f_equal; ring).
  apply (derivable_pt_lim_scal (bell 1)). apply bell_slope.
Qed.
Lemma Phi_slope x : derivable_pt_lim Phi x (exp (- x ^ 2 / 2) / sqrt (2 * PI)).
Proof.
  replace (exp (- x ^ 2 / 2) / sqrt (2 * PI)) with (0 + 1 / sqrt (2 * PI) * exp (- (1 / 2 * x ^ 2))).
  - apply (derivable_pt_lim_plus (fun _ => 1 / 2)); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_scal (bell (1 / 2))). apply bell_slope.
  - replace (- x ^ 2 / 2) with (- (1 / 2 * x ^ 2)) by field. unfold Rdiv. ring.
Qed.
Lemma erf_continuous x : continuity_pt erf x.
Proof. apply derivable_continuous_pt. eexists. apply erf_slope. Qed.
Lemma erf_odd x : erf (- x) = - erf x.
Proof.
  set (f := fun t => erf t + erf (- t)).
  assert (D : forall c, derivable_pt_lim f c 0).
  { intros c. replace 0 with (2 / sqrt PI * exp (- c ^ 2) + 2 / sqrt PI * exp (- (- c) ^ 2) * - (1))
      by (replace ((- c) ^ 2) with (c ^ 2) by ring; ring).
    apply (slope_add erf (fun t => erf (- t)) c (erf c) (erf (- c))); [split; [reflexivity|apply erf_slope]|].
    apply (slope_comp Ropp erf c (- c)); [apply (slope_neg (fun t => t)); apply slope_id|split; [reflexivity|apply erf_slope]]. }
  assert (N : constant f) by (apply (null_derivative_1 f (fun c => exist _ 0 (D c))); intros c; reflexivity).
  assert (Z : f x = f 0) by apply N. unfold f in Z. rewrite Ropp_0, erf_zero in Z. lra.
Qed.
Lemma erf_scaled_slope k x : derivable_pt_lim (fun t => (1 + erf (t / k)) / 2) x (2 / sqrt PI * exp (- (x / k) ^ 2) * / k * / 2).
Proof.
  replace (2 / sqrt PI * exp (- (x / k) ^ 2) * / k * / 2) with ((0 + 2 / sqrt PI * exp (- (x / k) ^ 2) * (1 * / k + x * 0)) * / 2 + (1 + erf (x / k)) * 0) by ring.
  apply (slope_mul (fun t => 1 + erf (t / k)) (fun _ => / 2) x (1 + erf (x / k)) (/ 2)); [|apply slope_const].
  apply (slope_add (fun _ => 1) (fun t => erf (t / k)) x 1 (erf (x / k))); [apply slope_const|].
  apply (slope_comp (fun t => t / k) erf x (x / k)); [|split; [reflexivity|apply erf_slope]].
  apply (slope_mul (fun t => t) (fun _ => / k) x x (/ k)); [apply slope_id|apply slope_const].
Qed.
Lemma Phi_erf x : Phi x = (1 + erf (x / sqrt 2)) / 2.
Proof.
  assert (s2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (sp : 0 < sqrt PI) by (apply sqrt_lt_R0; apply PI_RGT_0).
  set (f := fun t => Phi t - (1 + erf (t / sqrt 2)) / 2).
  assert (D : forall c, derivable_pt_lim f c 0).
  { intros c. unfold f.
    replace 0 with (exp (- c ^ 2 / 2) / sqrt (2 * PI) - 2 / sqrt PI * exp (- (c / sqrt 2) ^ 2) * / sqrt 2 * / 2).
    - apply (derivable_pt_lim_minus Phi); [apply Phi_slope|apply erf_scaled_slope].
    - replace ((c / sqrt 2) ^ 2) with (c ^ 2 / 2).
      + replace (- (c ^ 2 / 2)) with (- c ^ 2 / 2) by field. rewrite sqrt_mult by (try lra; left; apply PI_RGT_0).
        field. lra.
      + unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, (sqrt_square 2) by lra. reflexivity. }
  assert (N : constant f).
  { apply (null_derivative_1 f (fun c => exist _ 0 (D c))). intros c. reflexivity. }
  assert (Z : f x = f 0) by apply N. unfold f in Z.
  replace (0 / sqrt 2) with 0 in Z by (unfold Rdiv; ring). rewrite erf_zero in Z.
  assert (Q : Phi 0 = 1 / 2) by (unfold Phi; rewrite bell_zero; ring). lra.
Qed.

(* Positions: the whole numbers from 1 on *)
Definition position {n} (i : ix n) : R := INR (S (proj1_sig (Fin.to_nat i))).

(* Means: the integrable random variables of a probability space. Its measurable functions are closed under what
   formulas are made of, and those below an integrable one are integrable. *)
Definition at_most (x y : R) : R := if Rle_dec x y then 1 else 0.
Record space (W : Type) := Space {
  measurable : (W -> R) -> Prop;
  integrable : (W -> R) -> Prop;
  mean : (W -> R) -> R;
  measurable_const : forall c, measurable (fun _ => c);
  measurable_add : forall f g, measurable f -> measurable g -> measurable (fun w => f w + g w);
  measurable_mul : forall f g, measurable f -> measurable g -> measurable (fun w => f w * g w);
  measurable_inv : forall f, measurable f -> measurable (fun w => / f w);
  measurable_exp : forall f, measurable f -> measurable (fun w => exp (f w));
  measurable_ln : forall f, measurable f -> measurable (fun w => ln (f w));
  measurable_sqrt : forall f, measurable f -> measurable (fun w => sqrt (f w));
  measurable_abs : forall f, measurable f -> measurable (fun w => Rabs (f w));
  measurable_at_most : forall f x, measurable f -> measurable (fun w => at_most (f w) x);
  integrable_const : forall c, integrable (fun _ => c);
  integrable_add : forall f g, integrable f -> integrable g -> integrable (fun w => f w + g w);
  integrable_scale : forall c f, integrable f -> integrable (fun w => c * f w);
  integrable_below : forall f g, measurable f -> integrable g -> (forall w, Rabs (f w) <= g w) -> integrable f;
  mean_const : forall c, mean (fun _ => c) = c;
  mean_add : forall f g, integrable f -> integrable g -> mean (fun w => f w + g w) = mean f + mean g;
  mean_scale : forall c f, integrable f -> mean (fun w => c * f w) = c * mean f;
  mean_le : forall f g, integrable f -> integrable g -> (forall w, f w <= g w) -> mean f <= mean g }.
Arguments measurable {W}. Arguments integrable {W}. Arguments mean {W}.

(* Finite probability spaces are instances *)
Definition finite n (p : ix n -> R) (h : forall i, 0 <= p i) (t : sum n p = 1) : space (ix n).
Proof.
  refine (Space (ix n) (fun _ => True) (fun _ => True) (fun f => sum n (fun i => p i * f i))
    _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _); intros; try exact I.
  - rewrite (sum_eq n _ (fun i => c * p i)) by (intros; ring). rewrite sum_scale, t. ring.
  - rewrite <- sum_add. apply sum_eq. intros; ring.
  - rewrite <- sum_scale. apply sum_eq. intros; ring.
  - apply sum_le. intros i. apply Rmult_le_compat_l; auto.
Defined.

(* Families of random numbers: a shape says over which indices they run *)
Inductive shape := One | Row (n : nat) | Grid (n m : nat) | Both (a b : shape).
Fixpoint at_ (s : shape) : Type :=
  match s with One => unit | Row n => ix n | Grid n m => (ix n * ix m)%type | Both a b => (at_ a + at_ b)%type end.
Fixpoint total (s : shape) : (at_ s -> R) -> R :=
  match s with
  | One => fun f => f tt
  | Row n => fun f => sum n f
  | Grid n m => fun f => sum n (fun i => sum m (fun j => f (i, j)))
  | Both a b => fun f => total a (fun t => f (inl t)) + total b (fun t => f (inr t))
  end.
Fixpoint product_of n : (ix n -> R) -> R :=
  match n with O => fun _ => 1 | S m => fun f => f Fin.F1 * product_of m (fun i => f (Fin.FS i)) end.
Fixpoint product (s : shape) : (at_ s -> R) -> R :=
  match s with
  | One => fun f => f tt
  | Row n => fun f => product_of n f
  | Grid n m => fun f => product_of n (fun i => product_of m (fun j => f (i, j)))
  | Both a b => fun f => product a (fun t => f (inl t)) * product b (fun t => f (inr t))
  end.

Definition grid {n m} {A : Type} (f : ix n -> ix m -> A) (t : at_ (Grid n m)) : A := f (fst t) (snd t).
Definition row {n} {A : Type} (f : ix n -> A) (t : at_ (Row n)) : A := f t.
Definition one {A : Type} (f : A) (t : at_ One) : A := f.
Definition joined {a b} {A : Type} (f : at_ a -> A) (g : at_ b -> A) (t : at_ (Both a b)) : A :=
  match t with inl t => f t | inr t => g t end.

(* Laws, by distribution functions. `normal_cdf` is that of a number where the variance is 0 *)
Definition cdf {W} (P : space W) (X : W -> R) (x : R) : R := mean P (fun w => at_most (X w) x).
Definition variance {W} (P : space W) (X : W -> R) : R := mean P (fun w => (X w - mean P X) ^ 2).
Definition covariance {W} (P : space W) (X Y : W -> R) : R := mean P (fun w => (X w - mean P X) * (Y w - mean P Y)).
Definition normal_cdf (m v x : R) : R := if Rlt_dec 0 v then Phi ((x - m) / sqrt v) else at_most m x.
Definition normal {W} (P : space W) (X : W -> R) (m v : R) : Prop :=
  measurable P X /\ 0 <= v /\ forall x, cdf P X x = normal_cdf m v x.
Definition independent {W} (P : space W) (s : shape) (X : at_ s -> W -> R) : Prop :=
  forall x, mean P (fun w => product s (fun t => at_most (X t w) (x t))) = product s (fun t => cdf P (X t) (x t)).
Definition apart {W} (P : space W) (a b : shape) (X : at_ a -> W -> R) (Y : at_ b -> W -> R) : Prop :=
  forall x y, mean P (fun w => product a (fun t => at_most (X t w) (x t)) * product b (fun t => at_most (Y t w) (y t)))
    = mean P (fun w => product a (fun t => at_most (X t w) (x t))) * mean P (fun w => product b (fun t => at_most (Y t w) (y t))).
Lemma independent_join W (P : space W) a b X Y :
  apart P a b X Y -> independent P a X -> independent P b Y -> independent P (Both a b) (joined X Y).
Proof. intros h p q x. simpl. unfold apart in h. rewrite h, p, q. reflexivity. Qed.
Lemma independent_one W (P : space W) X : independent P One X.
Proof. intros x. reflexivity. Qed.
Lemma normals_one W (P : space W) f m v : normal P f m v -> forall t, normal P (one f t) (one m t) (one v t).
Proof. intros h t. exact h. Qed.
Lemma normals_row W (P : space W) n (f : ix n -> W -> R) m v :
  (forall i, normal P (f i) (m i) (v i)) -> forall t, normal P (row f t) (row m t) (row v t).
Proof. intros h t. apply h. Qed.
Lemma normals_grid W (P : space W) n k (f : ix n -> ix k -> W -> R) m v :
  (forall i j, normal P (f i j) (m i j) (v i j)) -> forall t, normal P (grid f t) (grid m t) (grid v t).
Proof. intros h t. apply h. Qed.
Lemma normals_joined W (P : space W) a b (f : at_ a -> W -> R) (g : at_ b -> W -> R) m n u v :
  (forall t, normal P (f t) (m t) (u t)) -> (forall t, normal P (g t) (n t) (v t)) ->
  forall t, normal P (joined f g t) (joined m n t) (joined u v t).
Proof. intros h k [t|t]; [apply h|apply k]. Qed.
Lemma normal_is W (P : space W) X m v x y : normal P X m v -> 0 < v -> (x - m) / sqrt v = y -> cdf P X x = Phi y.
Proof. intros [_ [_ h]] p <-. rewrite h. unfold normal_cdf. destruct (Rlt_dec 0 v); [reflexivity|contradiction]. Qed.
Lemma cdf_is W (P : space W) X Y x y : (forall w, X w <= x <-> Y w <= y) -> cdf P X x = cdf P Y y.
Proof.
  intros h. unfold cdf. f_equal. apply functional_extensionality. intros w. unfold at_most.
  destruct (Rle_dec (X w) x) as [a|a], (Rle_dec (Y w) y) as [b|b]; try reflexivity; exfalso; pose proof (h w); tauto.
Qed.
Lemma mean_is W (P : space W) f g : (forall w, f w = g w) -> mean P f = mean P g.
Proof. intros h. f_equal. apply functional_extensionality. exact h. Qed.

(* The logistic function increases from 0 to 1 *)
Lemma ln_gt0 a : 1 < a -> 0 < ln a.
Proof. intros h. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma exp_le_iff a b : a <= b <-> exp a <= exp b.
Proof. split; [apply exp_ge|apply exp_ge_inv]. Qed.
Lemma logistic_at_most d w x : w = 1 / (1 + exp (- d)) -> 0 < x -> 0 < 1 - x -> (w <= x <-> d <= ln (x / (1 - x))).
Proof.
  intros -> p q. rewrite (exp_le_iff d), exp_ln by (apply Rdiv_lt_0_compat; assumption). rewrite exp_Ropp.
  pose proof (exp_pos d) as e. set (y := exp d) in *.
  replace (1 / (1 + / y)) with (y / (1 + y)) by (field; split; lra).
  assert (a : x - y / (1 + y) = (1 - x) / (1 + y) * (x / (1 - x) - y)) by (field; split; lra).
  apply (equiv_le _ _ _ _ _ a). apply Rdiv_lt_0_compat; lra.
Qed.
Lemma within x a : Rabs x <= a <-> - a <= x <= a.
Proof. unfold Rabs. destruct (Rcase_abs x); split; lra. Qed.
Lemma logistic_within d w x :
  w = 1 / (1 + exp (- d)) -> 0 < x -> 0 < 1 - 2 * x -> (Rabs (w - 1 / 2) <= x <-> Rabs d <= ln ((1 + 2 * x) / (1 - 2 * x))).
Proof.
  intros e p q. set (l := ln ((1 + 2 * x) / (1 - 2 * x))).
  assert (u : w <= 1 / 2 + x <-> d <= l).
  { unfold l. replace ((1 + 2 * x) / (1 - 2 * x)) with ((1 / 2 + x) / (1 - (1 / 2 + x))) by (field; lra).
    apply logistic_at_most; [exact e|lra|lra]. }
  assert (v : 1 - w <= 1 / 2 + x <-> - d <= l).
  { unfold l. replace ((1 + 2 * x) / (1 - 2 * x)) with ((1 / 2 + x) / (1 - (1 / 2 + x))) by (field; lra).
    apply logistic_at_most; [|lra|lra]. rewrite e, Ropp_involutive, exp_Ropp. pose proof (exp_pos d). field. lra. }
  rewrite !within. lra.
Qed.

(* Limits and derivatives of the two functions *)
Lemma tends_erf N f l : filter N -> tends N f l -> tends N (fun t => erf (f t)) (erf l).
Proof. intros F. apply tends_comp; [exact F|apply erf_continuous]. Qed.
Lemma tends_far f l k g : tends oo f l -> 0 < k -> (forall t, g t = f (k * t)) -> tends oo g l.
Proof.
  intros h p s e q. destruct (h e q) as [M m]. exists (M / k). intros x r. rewrite s. apply m.
  apply (Rmult_lt_compat_l k) in r; [|exact p]. replace (k * (M / k)) with M in r by (field; lra). exact r.
Qed.
Lemma slope_Phi f x v d : slope f x v d -> slope (fun t => Phi (f t)) x (Phi v) (exp (- v ^ 2 / 2) / sqrt (2 * PI) * d).
Proof. intros a. apply (slope_comp f Phi _ _ _ _ _ a). split; [reflexivity|apply Phi_slope]. Qed.
Ltac lims_erf := cbv beta; lazymatch goal with
  | |- tends _ (fun t => erf (@?f t)) _ => apply (tends_erf _ f); [ filt | lims_erf ]
  | |- tends _ (fun t => @?f t + @?g t) _ => apply (tends_add _ f g); [ filt | lims_erf | lims_erf ]
  | |- tends _ (fun t => @?f t - @?g t) _ => apply (tends_sub _ f g); [ filt | lims_erf | lims_erf ]
  | |- tends _ (fun t => @?f t / @?g t) _ => apply (tends_div _ f g); [ filt | nz | lims_erf | lims_erf ]
  | _ => lims
  end.
Ltac der_Phi := cbv beta; lazymatch goal with
  | |- slope (fun t => Phi (@?f t)) _ _ _ => apply (slope_Phi f); der
  | _ => der
  end.

Lemma root_of_half u v : 0 < u -> v = 2 * u -> 1 / sqrt u / sqrt 2 = 1 / sqrt v.
Proof.
  intros p ->. rewrite sqrt_mult by lra. pose proof (sqrt_lt_R0 u p). pose proof (sqrt_lt_R0 2 ltac:(lra)). field. lra.
Qed.
Lemma over_root a v k y : 0 < k -> v = k ^ 2 -> a / k = y -> a / sqrt v = y.
Proof. intros p -> <-. rewrite sqrt_pow2 by lra. reflexivity. Qed.
Ltac half_root a b := first
  [ replace (a / sqrt 2) with b by (pose proof (sqrt_lt_R0 2 ltac:(lra)); field; lra)
  | lazymatch a with context [sqrt ?u] => lazymatch b with context [sqrt ?v] =>
      let E := fresh in assert (E : 1 / sqrt u / sqrt 2 = 1 / sqrt v) by (apply root_of_half; [ order | lra ]);
      first [ replace (a / sqrt 2) with b by (rewrite <- E; unfold Rdiv; ring)
            | replace (a / sqrt 2) with (- b) by (rewrite <- E; unfold Rdiv; ring); rewrite erf_odd ] end end ]; field.

(* Measurable numbers and their means *)
Lemma measurable_opp W (P : space W) f : measurable P f -> measurable P (fun w => - f w).
Proof.
  intros h. replace (fun w => - f w) with (fun w => -1 * f w) by (apply functional_extensionality; intros w; ring).
  apply (measurable_mul W P (fun _ => -1) f); [apply measurable_const|exact h].
Qed.
Lemma measurable_sub W (P : space W) f g : measurable P f -> measurable P g -> measurable P (fun w => f w - g w).
Proof. intros h k. apply (measurable_add W P f (fun w => - g w)); [exact h|apply measurable_opp; exact k]. Qed.
Lemma measurable_div W (P : space W) f g : measurable P f -> measurable P g -> measurable P (fun w => f w / g w).
Proof. intros h k. apply (measurable_mul W P f (fun w => / g w)); [exact h|apply measurable_inv; exact k]. Qed.
Lemma measurable_sum W (P : space W) n (f : ix n -> W -> R) :
  (forall i, measurable P (f i)) -> measurable P (fun w => sum n (fun i => f i w)).
Proof.
  induction n as [|n IH]; intros h; simpl; [apply measurable_const|].
  apply (measurable_add W P (f Fin.F1) (fun w => sum n (fun i => f (Fin.FS i) w))); [apply h|].
  apply (IH (fun i => f (Fin.FS i))). intros; apply h.
Qed.
Lemma integrable_bounded W (P : space W) f b : measurable P f -> (forall w, Rabs (f w) <= b) -> integrable P f.
Proof. intros h k. apply (integrable_below W P f (fun _ => b)); [exact h|apply integrable_const|exact k]. Qed.
Lemma integrable_is W (P : space W) f g : (forall w, f w = g w) -> integrable P g -> integrable P f.
Proof. intros h k. replace f with g by (apply functional_extensionality; intros; symmetry; apply h). exact k. Qed.
Lemma mean_from W (P : space W) c f : integrable P f -> mean P (fun w => c - f w) = c - mean P f.
Proof.
  intros h. rewrite (mean_is W P (fun w => c - f w) (fun w => c + -1 * f w)) by (intros; ring).
  rewrite (mean_add W P (fun _ => c) (fun w => -1 * f w)), mean_const, mean_scale;
    [ring|exact h|apply integrable_const|apply integrable_scale; exact h].
Qed.

(* Functions of a family that formulas are made of; they are Borel functions *)
Inductive borel {A : Type} : ((A -> R) -> R) -> Prop :=
  | borel_const c : borel (fun _ => c)
  | borel_entry t : borel (fun x => x t)
  | borel_add f g : borel f -> borel g -> borel (fun x => f x + g x)
  | borel_sub f g : borel f -> borel g -> borel (fun x => f x - g x)
  | borel_mul f g : borel f -> borel g -> borel (fun x => f x * g x)
  | borel_div f g : borel f -> borel g -> borel (fun x => f x / g x)
  | borel_opp f : borel f -> borel (fun x => - f x)
  | borel_exp f : borel f -> borel (fun x => exp (f x)).
Lemma borel_sum {A : Type} n (f : ix n -> (A -> R) -> R) :
  (forall i, borel (f i)) -> borel (fun x => sum n (fun i => f i x)).
Proof.
  induction n as [|n IH]; intros h; simpl; [apply borel_const|].
  apply (borel_add (f Fin.F1) (fun x => sum n (fun i => f (Fin.FS i) x))); [apply h|].
  apply (IH (fun i => f (Fin.FS i))). intros; apply h.
Qed.
Lemma borel_measurable W (P : space W) A (X : A -> W -> R) f :
  borel f -> (forall t, measurable P (X t)) -> measurable P (fun w => f (fun t => X t w)).
Proof.
  intros h k. induction h.
  - apply measurable_const.
  - apply k.
  - apply (measurable_add W P (fun w => f (fun t => X t w)) (fun w => g (fun t => X t w))); assumption.
  - apply (measurable_sub W P (fun w => f (fun t => X t w)) (fun w => g (fun t => X t w))); assumption.
  - apply (measurable_mul W P (fun w => f (fun t => X t w)) (fun w => g (fun t => X t w))); assumption.
  - apply (measurable_div W P (fun w => f (fun t => X t w)) (fun w => g (fun t => X t w))); assumption.
  - apply (measurable_opp W P (fun w => f (fun t => X t w))); assumption.
  - apply (measurable_exp W P (fun w => f (fun t => X t w))); assumption.
Qed.
Ltac brl := cbv beta; lazymatch goal with
  | |- borel (fun _ => ?c) => apply borel_const
  | |- borel (fun x => x _) => apply borel_entry
  | |- borel (fun x => @?f x + @?g x) => apply (borel_add f g); brl
  | |- borel (fun x => @?f x - @?g x) => apply (borel_sub f g); brl
  | |- borel (fun x => @?f x * @?g x) => apply (borel_mul f g); brl
  | |- borel (fun x => @?f x / @?g x) => apply (borel_div f g); brl
  | |- borel (fun x => - @?f x) => apply (borel_opp f); brl
  | |- borel (fun x => exp (@?f x)) => apply (borel_exp f); brl
  | |- borel (fun x => sum ?n (fun i => @?f x i)) => apply (borel_sum n (fun i x => f x i)); intros ?; brl
  end.

Ltac meas entry := cbv beta; lazymatch goal with
  | |- measurable ?P (fun _ => ?c) => apply measurable_const
  | |- measurable ?P (fun x => @?f x + @?g x) => apply (measurable_add _ P f g); meas entry
  | |- measurable ?P (fun x => @?f x - @?g x) => apply (measurable_sub _ P f g); meas entry
  | |- measurable ?P (fun x => @?f x * @?g x) => apply (measurable_mul _ P f g); meas entry
  | |- measurable ?P (fun x => @?f x / @?g x) => apply (measurable_div _ P f g); meas entry
  | |- measurable ?P (fun x => - @?f x) => apply (measurable_opp _ P f); meas entry
  | |- measurable ?P (fun x => exp (@?f x)) => apply (measurable_exp _ P f); meas entry
  | |- measurable ?P (fun x => sum ?n (fun i => @?f x i)) => apply (measurable_sum _ P n (fun i x => f x i)); intros ?; meas entry
  | _ => entry
  end.

(* Shares lie between 0 and 1 *)
Lemma share_of_two a b : 0 < a -> 0 < b -> Rabs (a / (a + b)) <= 1.
Proof.
  intros p q. apply within. assert (0 < a / (a + b)) by (apply Rdiv_lt_0_compat; lra).
  assert (1 - a / (a + b) = b / (a + b)) by (field; lra). assert (0 < b / (a + b)) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.
Lemma share_of_all n (f : ix n -> R) i : (0 < n)%nat -> (forall j, 0 < f j) -> Rabs (f i / sum n f) <= 1.
Proof.
  intros l p. pose proof (sum_gt0 n f l p) as s. apply within.
  assert (0 < f i / sum n f) by (apply Rdiv_lt_0_compat; auto).
  assert (k : 0 <= sum n f - f i).
  { rewrite <- (sum_delta n i f). replace (sum n f - sum n (fun j => delta j i * f j)) with (sum n (fun j => f j + -1 * (delta j i * f j))).
    - apply sum_ge0. intros j. replace (f j + -1 * (delta j i * f j)) with ((1 - delta j i) * f j) by ring.
      apply Rmult_le_pos; [apply delta_le1|left; apply p].
    - rewrite (sum_add n f (fun j => -1 * (delta j i * f j))), sum_scale. ring. }
  assert (e : 1 - f i / sum n f = (sum n f - f i) / sum n f) by (field; lra).
  assert (0 <= (sum n f - f i) / sum n f) by (apply Rle_mult_inv_pos; assumption). lra.
Qed.
Ltac share := first [ apply share_of_two; apply exp_pos
  | match goal with |- Rabs (exp ?a / sum ?n ?f) <= 1 => match f with (fun j => exp (@?g j)) =>
      match goal with i : ix n |- _ => change (Rabs (f i / sum n f) <= 1) end end end; apply share_of_all; [ assumption | intros; apply exp_pos ] ].
